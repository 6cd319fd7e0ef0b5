"""One file of a bundle's folder: a zip whose bytes depend on nothing but the folder's files."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

EARLIEST = (1980, 1, 1, 0, 0, 0)  # the zip format knows no time before
PIECE = 1 << 20  # bytes


def write_archive(folder: Path, target: Path, name: str, *, between: Callable[[], None] = lambda: None) -> None:
    """Write `folder` as the zip `target`, under the one top folder `name`. `between` is called before each file."""
    with ZipFile(target, "w") as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            between()
            entry = ZipInfo(f"{name}/{path.relative_to(folder).as_posix()}", EARLIEST)
            entry.compress_type = ZIP_STORED if path.suffix == ".parquet" else ZIP_DEFLATED  # Parquet is compressed
            entry.create_system, entry.external_attr = 3, 0o644 << 16  # the same on every system
            entry.file_size = path.stat().st_size  # tells whether it needs the format for large files
            with path.open("rb") as source, archive.open(entry, "w") as into:
                shutil.copyfileobj(source, into, PIECE)
