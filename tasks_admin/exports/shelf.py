"""Where the finished exports lie: `exports/<id>/<worker>/` in the data directory, the folder and its archive."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.conf import settings

from tasks_admin.models import Export


def folder_of(export_id: int) -> Path:
    """Everything of one export."""
    return Path(settings.DATA_DIR) / "exports" / str(export_id)


def place_of(export: Export) -> Path:
    """What the worker that has the export writes; a name of its own keeps two workers apart."""
    return folder_of(export.pk) / export.worker


def archive_of(export: Export) -> Path:
    """The archive of an export that is done."""
    return place_of(export) / "bundle.zip"


def clear(folder: Path) -> None:
    """Remove a folder, if it is there."""
    if folder.exists():
        shutil.rmtree(folder)


def clear_others(export: Export) -> None:
    """Remove what earlier workers left of the export."""
    folder = folder_of(export.pk)
    for path in folder.iterdir() if folder.exists() else ():
        if path.name != export.worker:
            clear(path)
