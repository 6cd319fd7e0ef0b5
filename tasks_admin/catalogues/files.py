"""The files of a catalogue on disk: those of a folder, none of them outside it."""

from __future__ import annotations

import os
from pathlib import Path

from recorder.yaml_file import BadFile, Document, read
from tasks_admin.catalogues.shape import Problems

MAX_FILES = 20_000


def folder_of(path: Path) -> Path:
    """The folder itself, resolved. Raises BadFile."""
    if not path.is_dir():
        raise BadFile(str(path), 0, "it is no folder" if path.exists() else "there is no such folder")
    return path.resolve()


def yaml_files(folder: Path) -> list[Path]:
    """Every YAML file below a folder, sorted; links to folders are not followed. Raises BadFile for a link that leads out."""
    root, found = folder.resolve(), []
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(where) / name
            if file.suffix.lower() not in (".yaml", ".yml") or name.startswith("."):
                continue
            if not file.resolve().is_relative_to(root):
                raise BadFile(str(file), 0, "it is a link that leads out of the folder")
            found.append(file)
            if len(found) > MAX_FILES:
                raise BadFile(str(folder), 0, f"it holds more than {MAX_FILES:,} files")
    return found


def read_all(files: list[Path], base: Path, problems: Problems) -> list[tuple[Path, Document]]:
    """The files that could be read, named from `base`; what is wrong with the others is noted."""
    out = []
    for file in files:
        name = str(file.relative_to(base)) if file.is_relative_to(base) else str(file)
        try:
            out.append((file, read(file, name)))
        except BadFile as error:
            problems.found.append(error)
    return out
