"""Archives of results, zip or tar: unpacked into a folder of their own, and only what a reader could read.

Nothing is trusted: a name that leads out of the folder refuses the whole archive, sizes are counted while they are written, links
and devices are passed over and told. Archives inside an archive stay closed.
"""

from __future__ import annotations

import lzma
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO

from tasks_admin.runs.files import MAX_FILES
from tasks_admin.runs.shape import BadRuns, Rejected

READ = {".json", ".jsonl", ".ndjson", ".csv", ".txt", ".log"}
NESTED = {".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar"}
MOST_BYTES = 16 * 1024**3  # unpacked
RATIO = 200  # of unpacked to packed bytes, once FREE of them were written
FREE = 256 * 1024**2
CHUNK = 1024 * 1024
LONGEST_NAME = 255  # bytes of a file's name, as file systems have it
BROKEN = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, NotImplementedError)


@dataclass
class Opened:
    """Where the files are, and what of an archive was passed over."""

    path: Path
    passed_over: list[Rejected] = field(default_factory=list)


@contextmanager
def opened(path: Path, within: Path | None = None) -> Iterator[Opened]:
    """A file or folder as it is; an archive unpacked, `within` a folder, for as long as it is needed. Raises BadRuns."""
    if not is_archive(path):
        if path.is_file() and path.suffix.lower() in NESTED:
            raise BadRuns(
                f"{path.name} is no whole archive, or not a zip or tar one. Nothing was imported; make it anew."
            )
        yield Opened(path)
        return
    with tempfile.TemporaryDirectory(prefix="footpath-", dir=within) as folder:
        target = Path(folder) / stem_of(path.name)
        target.mkdir()
        yield Opened(target, unpack(path, target))


def is_archive(path: Path) -> bool:
    return path.is_file() and (zipfile.is_zipfile(path) or tarfile.is_tarfile(path))


def stem_of(name: str) -> str:
    """The archive's name without its endings; what it unpacks to is called so, as a folder of results would be."""
    plain = PurePosixPath(name.replace("\\", "/")).name
    for _ in range(2):
        if PurePosixPath(plain).suffix.lower() in NESTED:
            plain = PurePosixPath(plain).stem
    return plain.strip(". ") or "archive"


def unpack(path: Path, target: Path) -> list[Rejected]:
    """Unpack what can be read; what was passed over, with reasons. Raises BadRuns, and then nothing of it may be used."""
    unpacker = Unpacker(target, path.stat().st_size)
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                of_zip(packed, unpacker)
        else:
            with tarfile.open(path) as tape:
                of_tar(tape, unpacker)
    except BROKEN as error:
        raise broken(path, error) from error
    except OSError as error:
        if error.errno is not None:  # the disk's fault, not the archive's
            raise
        raise broken(path, error) from error
    return unpacker.passed_over


def broken(path: Path, error: Exception) -> BadRuns:
    return BadRuns(f"{path.name} is no whole archive ({str(error)[:120] or type(error).__name__}).")


class Unpacker:
    """Writes members below a folder and counts what it writes."""

    def __init__(self, target: Path, packed: int) -> None:
        self.target = target
        self.most = min(MOST_BYTES, max(FREE, RATIO * packed))
        self.written = self.files = 0
        self.passed_over: list[Rejected] = []

    def place(self, name: str) -> Path:
        """Where a member goes. Raises BadRuns for a name that leads out of the folder."""
        parts = PurePosixPath(name).parts
        leads_out = ".." in parts or PurePosixPath(name).is_absolute() or PureWindowsPath(name).drive or "\\" in name
        if leads_out or "\x00" in name or not parts:
            raise BadRuns(f"The archive holds {name[:120]!r}, which leads out of its folder. Nothing was imported.")
        if any(len(part.encode(errors="surrogateescape")) > LONGEST_NAME for part in parts):
            raise BadRuns(
                f"The archive holds a name of more than {LONGEST_NAME} bytes ({name[:60]!r} …). Nothing was imported."
            )
        return self.target.joinpath(*parts)

    def is_wanted(self, name: str) -> bool:
        """True for what a reader could read; an archive inside is told, everything else is left in peace."""
        suffix = PurePosixPath(name).suffix.lower()
        if suffix in NESTED:
            self.passed_over.append(Rejected(name, "an archive inside an archive stays closed; unpack it first."))
        hidden = any(part.startswith(".") or part == "__MACOSX" for part in PurePosixPath(name).parts)
        return suffix in READ and not hidden

    def write(self, name: str, source: IO[bytes]) -> None:
        """Write one member. Raises BadRuns where there are too many, too much, or two of one name."""
        self.files += 1
        if self.files > MAX_FILES:
            raise BadRuns(f"The archive holds more than {MAX_FILES:,} files; import it in parts.")
        place = self.place(name)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with place.open("xb") as file:
                while piece := source.read(CHUNK):
                    self.count(len(piece), name)
                    file.write(piece)
        except (FileExistsError, NotADirectoryError) as error:
            raise BadRuns(
                f"The archive holds {name[:120]!r} twice, or as file and folder. Nothing was imported."
            ) from error

    def count(self, more: int, name: str) -> None:
        self.written += more
        if self.written > self.most:
            raise BadRuns(
                f"The archive unpacks to more than {self.most / 1024**2:,.0f} MB (at {name[:120]!r}), far more than its own size "
                "promises or than is read at once. Nothing was imported; import it in parts."
            )


def of_zip(packed: zipfile.ZipFile, unpacker: Unpacker) -> None:
    for member in packed.infolist():
        unpacker.place(member.filename)
        if member.is_dir():
            continue
        if stat.S_ISLNK(member.external_attr >> 16):
            unpacker.passed_over.append(Rejected(member.filename, "it is a link; links are not followed."))
        elif unpacker.is_wanted(member.filename):
            if member.flag_bits & 1:
                raise BadRuns(f"{member.filename[:120]!r} is encrypted; give an archive without a password.")
            with packed.open(member) as source:
                unpacker.write(member.filename, source)


def of_tar(tape: tarfile.TarFile, unpacker: Unpacker) -> None:
    for member in tape:
        if member.name.strip("/") in ("", "."):
            continue
        unpacker.place(member.name)
        if member.isdir():
            continue
        if not member.isreg():
            kind = "a link; links are not followed" if member.issym() or member.islnk() else "no ordinary file"
            unpacker.passed_over.append(Rejected(member.name, f"it is {kind}."))
        elif unpacker.is_wanted(member.name):
            source = tape.extractfile(member)
            assert source is not None
            unpacker.write(member.name, source)
        else:
            unpacker.count(member.size, member.name)  # a tape is read through, whatever of it is wanted
