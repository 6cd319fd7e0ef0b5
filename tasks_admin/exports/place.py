"""Where a bundle may be written: what is replaced there is an earlier bundle, and only while it is as it was written."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from recorder.errors import FootpathError
from tasks_admin.exports.files import sealed, sha256
from tasks_admin.exports.tables import SCHEMA_VERSION

MANIFEST = "manifest.json"
FORMAT = SCHEMA_VERSION.partition("/")[0]


class CannotExport(FootpathError):
    """The bundle can't be written there."""

    def __init__(self, message: str) -> None:
        super().__init__("cannot_export", 409, message)


def require_place(out: Path) -> None:
    """Raises CannotExport where something else than an earlier bundle as it was written is at `out`. What is missing from it is
    no reason: nothing would be lost."""
    if not os.path.lexists(out):
        return
    if out.is_symlink() or not out.is_dir():
        raise CannotExport(f"{out} is no folder; name a folder for the bundle.")
    if found := first_other(out, listed_in(out), {MANIFEST}):
        raise CannotExport(
            f"{out} holds {found}, which is not as an export wrote it; only an untouched earlier bundle is replaced. Name an empty or "
            "new folder, or move away what you want to keep and delete the rest yourself."
        )


def first_other(folder: Path, listed: dict[str, str], besides: set[str]) -> str:
    """The first name in the folder that is neither listed with the SHA-256 that its file has, nor among `besides`, the files that
    hold the list and stand only where there is one; "" where there is none. Empty folders are nothing."""
    known = besides if listed else set()
    for place, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(place, name))]
        for path in (Path(place, name) for name in sorted([*links, *names])):
            name = path.relative_to(folder).as_posix()
            if path.is_symlink() or not path.is_file() or not (name in known or listed.get(name) == sha256(path)):
                return name
    return ""


def listed_in(folder: Path) -> dict[str, str]:
    """{file: SHA-256} by the folder's manifest; nothing where that is not a bundle's, or was changed."""
    manifest = read_object(folder / MANIFEST)
    if str(manifest.get("schema")).partition("/")[0] != FORMAT or sealed(manifest)["seal"] != manifest.get("seal"):
        return {}
    files = manifest.get("files")
    return files if isinstance(files, dict) else {}


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object that a file holds; an empty one where it holds none, or is no file."""
    if path.is_symlink() or not path.is_file():
        return {}
    try:
        told = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def remove_bundle(folder: Path) -> None:
    """Delete a bundle, its manifest last: stopped half-way, what is left is still known for one."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != MANIFEST:
            path.unlink()
    shutil.rmtree(folder)
