"""MiniWoB++, as the package that is installed has it."""

from __future__ import annotations

from recorder.yaml_file import Document
from tasks_admin.benchmark.engine.catalogue import described
from tasks_admin.benchmark.miniwob.tasks import TASKS
from tasks_admin.catalogues.shape import EnvironmentIn, Found, TaskIn

PACKAGE = Document("package miniwob", None, None)


def read(slug: str = "miniwob") -> list[Found]:
    """Every task of the package."""
    found = Found(EnvironmentIn(slug=slug, name="MiniWoB++", adapter="miniwob"))
    for task in TASKS:
        found.add(TaskIn.model_validate(described(task)), PACKAGE)
    return [found]
