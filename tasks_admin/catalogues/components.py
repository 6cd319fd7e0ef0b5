"""The component-benchmark shape: files that are lists of tasks, each a page of its own with a success banner."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from recorder.yaml_file import Document, Where
from tasks_admin.catalogues.files import read_all, yaml_files
from tasks_admin.catalogues.shape import ID, EnvironmentIn, Found, Problems, TaskIn

BUCKETS = {
    "easy": "easy",
    "mid": "medium",
    "medium": "medium",
    "hard": "hard",
    "expert": "expert",
    "frontier": "frontier",
}
PAGE = "/task/{task}?mode=benchmark"
BANNER = "#cb-success-banner"


class Theirs(BaseModel):
    """A part of their files; what we do not need is theirs alone."""

    model_config = ConfigDict(extra="ignore")


class TheirDifficulty(Theirs):
    difficulty_bucket: str = Field(pattern="^(" + "|".join(BUCKETS) + ")$")
    tier: str | None = None
    axes_ratings: dict[str, Any] = {}


class TheirTask(Theirs):
    id: str = Field(pattern=ID, max_length=120)
    name: str = Field(min_length=1, max_length=200)
    canonical_type: str = Field(max_length=40)
    implementation_source: str = ""
    task_template: str | None = None
    browsergym_goal: str = Field(min_length=1)
    scene_context: dict[str, Any] = {}
    difficulty: TheirDifficulty
    success_trigger: dict[str, Any] = {}


def read(path: Path, problems: Problems, url: str = "", slug: str = "components") -> list[Found]:
    """All tasks below a folder (or of one file) as one environment; `url` is where the pages are."""
    found = Found(environment(slug, url))
    files = yaml_files(path) if path.is_dir() else [path]
    for _, document in read_all(files, path if path.is_dir() else path.parent, problems):
        if not isinstance(document.data, list):
            problems.add(document, (), "must be a list of tasks")
            continue
        for place, data in enumerate(document.data):
            where: Where = (place,)
            task = problems.model(TheirTask, data, document, where)
            if task is not None:
                found.add(as_task(task, document, data), document, where)
    return [found]


def environment(slug: str, url: str) -> EnvironmentIn:
    """How the pages are reached; without `url` the environment must be there already."""
    if not url:
        return EnvironmentIn(slug=slug)
    options = {"base_url": url, "page": PAGE, "success": {"selector": BANNER}}
    return EnvironmentIn(slug=slug, name="Components", adapter="dom", options=options)


def as_task(task: TheirTask, document: Document, whole: Any) -> TaskIn:
    """Their task as ours."""
    text = json.dumps(whole, sort_keys=True, ensure_ascii=False).encode()
    params = {
        "source": task.implementation_source,
        "template_kind": task.task_template,
        "tier": task.difficulty.tier,
        "axes": task.difficulty.axes_ratings,
        "source_sha256": hashlib.sha256(text).hexdigest(),
    }
    return TaskIn.model_validate(
        {
            "task": task.id,
            "title": task.name,
            "instruction": task.browsergym_goal.strip(),
            "difficulty": BUCKETS[task.difficulty.difficulty_bucket],
            "primitives": [task.canonical_type],
            "params": params,
        }
    )
