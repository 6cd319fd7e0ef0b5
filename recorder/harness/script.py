"""The injected script as one text: the files of static/recorder, joined in the order of their names."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "static" / "recorder"
PREFIX = "/__footpath__/"


def joined(*, worker: bool, boot: str = "") -> str:
    """The page's script, or the worker's; `boot` goes first inside the function."""
    return "(()=>{" + boot + _body(worker) + "})()"


@cache
def _body(worker: bool) -> str:
    files = (path for path in sorted(FOLDER.glob("*.js")) if path.name.startswith("worker") == worker)
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@cache
def worker_name() -> str:
    """The worker script's name, by its content."""
    return f"w.{sha256(_body(True).encode()).hexdigest()[:16]}.js"
