"""Our own shape: one YAML file that says everything of one or several environments.

environment: {slug: teashop, name: Tea shop, adapter: static, options: {folder: site, success: {selector: "#done"}}}
tasks:
  - {task: buy-tea, title: Buy tea, instruction: Buy green tea., difficulty: easy}
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recorder.yaml_file import Document, Where
from tasks_admin.catalogues.files import read_all, yaml_files
from tasks_admin.catalogues.shape import EnvironmentIn, Found, Problems, TaskIn

TOP = {"environment", "environments", "tasks"}


def read(path: Path, problems: Problems) -> list[Found]:
    """The environments of a file, or of every file of a folder."""
    files = yaml_files(path) if path.is_dir() else [path]
    found: dict[str, Found] = {}
    for file, document in read_all(files, path if path.is_dir() else path.parent, problems):
        if is_mapping(document, problems):
            take_environments(file, document, found, problems)
            take_tasks(document, found, problems)
    return list(found.values())


def is_mapping(document: Document, problems: Problems) -> bool:
    """True for a file of the right kind; else that is noted."""
    if not isinstance(document.data, dict):
        problems.add(document, (), "must be a mapping with `environment` and `tasks`")
        return False
    for name in document.data.keys() - TOP:
        problems.add(document, (name,), f"this name is not known here; known: {', '.join(sorted(TOP))}")
    return True


def declared(document: Document, problems: Problems) -> list[tuple[Where, Any]]:
    """The environments a file speaks of, with their places."""
    one, several = document.data.get("environment"), document.data.get("environments")
    if several is not None and not isinstance(several, list):
        problems.add(document, ("environments",), "must be a list")
        return []
    listed: list[tuple[Where, Any]] = [(("environments", place), each) for place, each in enumerate(several or [])]
    return ([(("environment",), one)] if one is not None else []) + listed


def take_environments(file: Path, document: Document, found: dict[str, Found], problems: Problems) -> None:
    """Note the file's environments; a slug that another file has declared is a mistake."""
    listed = declared(document, problems)
    if not listed:
        problems.add(document, (), "says no environment")
    for where, data in listed:
        told = {"slug": data} if isinstance(data, str) else data
        environment = problems.model(EnvironmentIn, told, document, where)
        if environment is None:
            continue
        if environment.slug in found and environment.adapter:
            problems.add(document, where, f"the environment {environment.slug} is there already")
            continue
        environment.options = with_folder(environment.options, file, document, where, problems)
        found.setdefault(environment.slug, Found(environment, (document, where)))


def with_folder(
    options: dict[str, Any], file: Path, document: Document, where: Where, problems: Problems
) -> dict[str, Any]:
    """Options whose `folder` is named from the file's own; one that leads out of that is a mistake."""
    told = options.get("folder")
    if not isinstance(told, str) or Path(told).is_absolute():
        return options
    base = file.parent.resolve()
    folder = (base / told).resolve()
    if not folder.is_relative_to(base):
        problems.add(document, (*where, "options", "folder"), f"{told!r} leads out of the catalogue's folder")
    return options | {"folder": str(folder)}


def take_tasks(document: Document, found: dict[str, Found], problems: Problems) -> None:
    """Note the file's tasks under their environments."""
    tasks = document.data.get("tasks", [])
    if not isinstance(tasks, list):
        problems.add(document, ("tasks",), "must be a list")
        return
    mine = [each.get("slug") if isinstance(each, dict) else each for _, each in declared(document, problems)]
    for place, data in enumerate(tasks):
        where: Where = ("tasks", place)
        told = dict(data) if isinstance(data, dict) else data
        slug = told.pop("environment", None) if isinstance(told, dict) else None
        if slug is None and len(mine) == 1:
            slug = mine[0]
        if slug not in mine or slug not in found:
            known = ", ".join(sorted(str(name) for name in mine)) or "none"
            problems.add(document, (*where, "environment"), f"there is no environment {slug!r} here; known: {known}")
            continue
        task = problems.model(TaskIn, lifted(told), document, where)
        if task is not None:
            found[slug].add(task, document, where)


def lifted(data: Any) -> Any:
    """`start_path` and `success`, which may stand in the task itself, among its params."""
    if not isinstance(data, dict):
        return data
    own = {name: data[name] for name in ("start_path", "success") if name in data}
    rest = {name: value for name, value in data.items() if name not in own}
    params = rest.get("params", {})
    return rest | {"params": params | own if isinstance(params, dict) else params} if own else rest
