"""The seven-site shape: `tasks/<env>/*.yaml` and `variants/*.yaml`, reached by the ready mapping `seven-sites`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from annotate.models.catalogue import Difficulty
from recorder.yaml_file import BadFile, Document
from tasks_admin.catalogues.files import folder_of, read_all, yaml_files
from tasks_admin.catalogues.shape import ID, EnvironmentIn, Found, Problems, TaskIn, VariantIn, is_template

TASKS = ("tasks",)
VARIANTS = ("variants", "injector/variants")


class Theirs(BaseModel):
    """A part of their files; what we do not need is theirs alone."""

    model_config = ConfigDict(extra="ignore")


class TheirTask(Theirs):
    task_id: str = Field(pattern=ID, max_length=120)
    env_id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")
    title: str = Field(min_length=1, max_length=200)
    instruction_template: str
    difficulty: Difficulty
    time_limit_seconds: int | None = None
    expected_steps: int | None = Field(default=None, ge=0)
    primary_primitives: list[str] = []
    start_path: str = "/"


class Injection(Theirs):
    layer: str = Field(max_length=40)
    params: dict[str, Any] = {}


class TheirVariant(Theirs):
    variant_id: str = Field(pattern=ID, max_length=120)
    base_task_id: str
    target_primitive: str = Field(default="", max_length=40)
    description: str = ""
    injections: list[Injection] = []


def read(path: Path, problems: Problems, url: str = "") -> list[Found]:
    """The environments of a checkout of the benchmark; `url` is where its server listens."""
    root = folder_of(path)
    variants = read_variants(root, problems)
    found: dict[str, Found] = {}
    bases: set[str] = set()
    for file, document in read_all(yaml_files(part(root, TASKS)), root, problems):
        task = problems.model(TheirTask, document.data, document)
        if task is None:
            continue
        if file.parent.name != task.env_id:
            problems.add(document, ("env_id",), f"it lies in {file.parent.name}/ but says it is of {task.env_id}")
            continue
        one = found.setdefault(task.env_id, Found(environment(task.env_id, url)))
        one.add(as_task(task, document, variants), document)
        bases.add(task.task_id)
    for base, listed in variants.items():
        for document, _ in listed if base not in bases else []:
            problems.add(document, ("base_task_id",), f"there is no task {base!r} that it could be a variant of")
    return list(found.values())


def part(root: Path, names: tuple[str, ...]) -> Path:
    """The first of the folders that is there. Raises BadFile."""
    for name in names:
        if (root / name).is_dir():
            return root / name
    raise BadFile(str(root), 0, f"there is no folder {' or '.join(names)} in it")


def environment(slug: str, url: str) -> EnvironmentIn:
    """How the site is reached; without `url` it must be there already."""
    if not url:
        return EnvironmentIn(slug=slug)
    options = {"mapping": "seven-sites", "base_url": url, "site": slug}
    return EnvironmentIn(slug=slug, name=slug.replace("_", " ").title(), adapter="http", options=options)


def read_variants(root: Path, problems: Problems) -> dict[str, list[tuple[Document, VariantIn]]]:
    """Variants by the task they are for. The API wants the file's name, which need not be the variant's."""
    found: dict[str, list[tuple[Document, VariantIn]]] = {}
    folders = [root / name for name in VARIANTS if (root / name).is_dir()]
    ids: dict[str, str] = {}
    for file, document in read_all(yaml_files(folders[0]) if folders else [], root, problems):
        theirs = problems.model(TheirVariant, document.data, document)
        if theirs is None:
            continue
        if (before := ids.setdefault(theirs.variant_id, document.file)) != document.file:
            problems.add(document, ("variant_id",), f"the variant {theirs.variant_id} is there already, in {before}")
        injections = [injection.model_dump() for injection in theirs.injections]
        variant = VariantIn(
            variant=theirs.variant_id,
            primitive=theirs.target_primitive,
            layer=theirs.injections[0].layer if theirs.injections else "",
            description=theirs.description,
            params={"file": file.name, "injections": injections},
        )
        found.setdefault(theirs.base_task_id, []).append((document, variant))
    return found


def as_task(task: TheirTask, document: Document, variants: dict[str, list[tuple[Document, VariantIn]]]) -> TaskIn:
    """Their task as ours. The answer key stays with them: of seed and canonical diff we keep a hash, to see them change."""
    whole = json.dumps(document.data, sort_keys=True, ensure_ascii=False).encode()
    params: dict[str, Any] = {"source_sha256": hashlib.sha256(whole).hexdigest()}
    if task.time_limit_seconds is not None:
        params["time_limit_seconds"] = task.time_limit_seconds
    if is_template(task.instruction_template):
        params["template"] = True
    return TaskIn(
        task=task.task_id,
        title=task.title,
        instruction=task.instruction_template.strip(),
        difficulty=task.difficulty,
        expected_steps=task.expected_steps,
        primitives=task.primary_primitives,
        params=params,
        variants=[variant for _, variant in variants.get(task.task_id, [])],
    )
