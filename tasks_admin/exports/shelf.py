"""Where the finished exports lie: `exports/<id>/<worker>/` in the data directory, the folder and its archive."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.conf import settings

from tasks_admin.exports.draft import journal_of
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


def bundle_of(export: Export) -> Path:
    """Its bundle's folder."""
    return place_of(export) / "bundle"


def take_over(export: Export) -> None:
    """Give what the furthest of the earlier workers left of the export to the one that has it now; remove what others left."""
    folder = folder_of(export.pk)
    left = [path for path in folder.iterdir() if path.name != export.worker] if folder.exists() else []
    for number, path in enumerate(sorted(left, key=journalled, reverse=True)):
        if number:
            clear(path)
        else:
            path.rename(place_of(export))  # a worker that only slept finds its files gone, and stops


def journalled(place: Path) -> int:
    """How much a worker noted as finished, in bytes."""
    journal = journal_of(place / "bundle")
    return journal.stat().st_size if journal.exists() else 0
