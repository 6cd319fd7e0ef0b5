"""Where files that are brought in lie until they were read: `uploads/<id>/` in the data directory."""

from __future__ import annotations

import re
import shutil
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile

from recorder.wire import storable

LONGEST = 180  # bytes of a name
UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\:]")


def safe_name(name: str) -> str:
    """A file's name without its folders and without what a file system or a terminal would stumble over; its ending stays."""
    plain = UNSAFE.sub("_", storable(name.replace("\\", "/").rsplit("/", 1)[-1])).strip(". ") or "upload"
    suffix = PurePosixPath(plain).suffix[:20]
    while len(plain.encode()) > LONGEST:
        plain = plain[: -len(suffix) - 1] + suffix if suffix else plain[:-1]
    return plain


def folder_of(upload_id: int) -> Path:
    """Everything of one upload."""
    return Path(settings.DATA_DIR) / "uploads" / str(upload_id)


def kept() -> list[int]:
    """The uploads of which something lies here."""
    shelf = Path(settings.DATA_DIR) / "uploads"
    return [int(path.name) for path in shelf.iterdir() if path.name.isdecimal()] if shelf.exists() else []


def file_of(upload_id: int, name: str) -> Path:
    """The file itself."""
    return folder_of(upload_id) / "given" / safe_name(name)


def put(upload_id: int, name: str, file: UploadedFile[Any]) -> None:
    """Keep what came: moved where it lies on the disk already, else written piece by piece."""
    place = file_of(upload_id, name)
    place.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(file, TemporaryUploadedFile):
        shutil.move(file.temporary_file_path(), place)
        return
    with place.open("wb") as kept:
        for piece in file.chunks():
            kept.write(piece)


def note_rows(upload_id: int, rows: int) -> None:
    """How many rows were read so far. A file beside, for the import is one transaction that nobody sees into."""
    (folder_of(upload_id) / "rows").write_text(str(rows))


def rows_of(upload_id: int) -> int:
    """What `note_rows` noted last; 0 where nothing was yet."""
    try:
        return int((folder_of(upload_id) / "rows").read_text() or 0)
    except FileNotFoundError:
        return 0


def clear(upload_id: int) -> None:
    """Remove an upload's files, if they are there."""
    if folder_of(upload_id).exists():
        shutil.rmtree(folder_of(upload_id))


def clear_unpacked(upload_id: int) -> None:
    """Remove what a worker that died had unpacked."""
    for path in folder_of(upload_id).glob("footpath-*"):
        shutil.rmtree(path)
