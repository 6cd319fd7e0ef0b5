"""A bundle in the making: its folder lies beside its place, with a journal of what is finished in it.

Whatever stops the process, the next one finds the journal and keeps each file whose inputs are the same and whose hash is still right.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from tasks_admin.exports.files import sha256
from tasks_admin.exports.place import CannotExport, remove_bundle, require_place
from tasks_admin.exports.traces import Made

BEGUN = b'{"shared": "'  # how a journal begins


class Draft:
    """The folder `.NAME.part` and the file `.NAME.journal` beside the place `out`, for a moment also `.NAME.old`, an earlier bundle
    that goes. One process at a time may have it.

    The journal has a line for what all stretches share, then one per finished stretch. It goes when the bundle is in its place; the
    draft goes when an error ends the export. After anything else (a kill, Ctrl-C) both stay.
    """

    def __init__(self, out: Path) -> None:
        self.out = out
        self.folder = out.with_name(f".{out.name}.part")
        self.kept = 0  # attempts whose files an earlier process had made
        self.was_changed = False  # an earlier process had made files that do not fit any more
        self._path = journal_of(out)
        self._aside = out.with_name(f".{out.name}.old")
        self._shared = ""
        self._finished: list[dict[str, Any]] = []
        self._journal: IO[str]

    def __enter__(self) -> Draft:
        self._require_own_draft()
        try:
            self.out.parent.mkdir(parents=True, exist_ok=True)
            self._journal = self._path.open("a+", encoding="utf-8")
        except OSError as error:
            raise CannotExport(f"{self.out} cannot be written to: {error.strerror}. Name another folder.") from error
        if not self._is_ours():
            self._journal.close()
            raise CannotExport(
                f"Another export is being written to {self.out}; wait for its end, or name another folder."
            )
        self._require_places()
        self._clear_aside()  # of a process that was stopped while it finished
        if self.out.exists() and not self.folder.exists() and self._path.stat().st_size:
            self.out.rename(self.folder)  # it was finished, but not what was to come after
        self.folder.mkdir(exist_ok=True)
        return self

    def _require_own_draft(self) -> None:
        """Raises CannotExport where a journal or draft is there that no export made; each export's draft has its journal."""
        if os.path.lexists(self._path) and not is_journal(self._path):
            raise CannotExport(f"{self._path} is no export's journal; move it away, or name another folder.")
        if os.path.lexists(self.folder) and (self.folder.is_symlink() or not self._path.exists()):
            raise CannotExport(f"{self.folder} is no export's draft; move it away, or name another folder.")

    def _require_places(self) -> None:
        """Raises CannotExport where no bundle can be put; then no journal stays that tells of nothing."""
        try:
            require_place(self.out)
            require_place(self._aside)
        except CannotExport:
            if not self._path.stat().st_size:
                self._path.unlink()
            self._journal.close()
            raise

    def _is_ours(self) -> bool:
        try:
            fcntl.flock(self._journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        there = self._path.stat().st_ino if self._path.exists() else None
        return os.fstat(self._journal.fileno()).st_ino == there  # else whoever had it has just finished

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or isinstance(error, Exception):
            if self.folder.exists():
                shutil.rmtree(self.folder)
            self._path.unlink()
        self._journal.close()

    def begin(self, shared: str) -> None:
        """Find what is finished; `shared` is a hash of what all stretches share. All other files are removed."""
        self._journal.seek(0)
        told = [line for line in map(parsed, self._journal) if line]
        self._shared = shared
        self._finished = told[1:] if told and told[0] == {"shared": shared} else []
        self.was_changed = bool(told[1:]) and not self._finished
        known = set(self._files(self._finished))
        for path in self.folder.rglob("*"):
            if path.is_file() and path.relative_to(self.folder).as_posix() not in known:
                path.unlink()
        self._rewrite()

    def finished(self, number: int, inputs: str) -> Made | None:
        """What an earlier process made of the stretch, where its inputs are the same and its files whole; else None, and then all
        after it are to be made again, too."""
        if number >= len(self._finished):
            return None
        entry = self._finished[number]
        if entry["inputs"] == inputs and all(self._is_whole(*file) for file in entry["made"]["files"].items()):
            return Made(**entry["made"])
        self.was_changed = True
        for name in self._files(self._finished[number:]):
            (self.folder / name).unlink(missing_ok=True)
        del self._finished[number:]
        self._rewrite()
        return None

    def note(self, inputs: str, made: Made) -> None:
        """Write down a stretch that is finished, after all that are."""
        self._write({"inputs": inputs, "made": vars(made)})

    def finish(self) -> None:
        """Move the bundle to its place; an earlier one goes aside first, so that no half of it is ever there."""
        require_place(self.out)  # somebody may have put something into it meanwhile
        if self.out.exists():
            self.out.rename(self._aside)
        self.folder.rename(self.out)
        self._clear_aside()

    def _clear_aside(self) -> None:
        if self._aside.exists():
            remove_bundle(self._aside)

    def _is_whole(self, name: str, wanted: str) -> bool:
        path = self.folder / name
        return path.is_file() and sha256(path) == wanted

    def _files(self, entries: list[dict[str, Any]]) -> list[str]:
        return [name for entry in entries for name in entry["made"]["files"]]

    def _rewrite(self) -> None:
        self._journal.truncate(0)
        for line in ({"shared": self._shared}, *self._finished):
            self._write(line)

    def _write(self, line: dict[str, Any]) -> None:
        self._journal.write(json.dumps(line) + "\n")
        self._journal.flush()


def journal_of(out: Path) -> Path:
    """Where the journal of a bundle lies that is being made at `out`."""
    return out.with_name(f".{out.name}.journal")


def is_journal(path: Path) -> bool:
    """True for a file that begins as a journal does, or is empty: of a process that was stopped before it wrote a line."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        begun = file.read(len(BEGUN))
    return BEGUN.startswith(begun)


def parsed(line: str) -> dict[str, Any] | None:
    """A line of a journal; None for the last one of a process that was stopped while it wrote it."""
    try:
        told: dict[str, Any] = json.loads(line)
    except json.JSONDecodeError:
        return None
    return told
