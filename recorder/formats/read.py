"""A trace file as formats read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from recorder.formats.base import Trace
from recorder.trace_file import check_trace, read_trace_file


def read_trace(path: Path) -> Trace:
    """The trace in a file. Raises BadTrace."""
    document = read_trace_file(path)
    return Trace(document, document["steps"])


def checked(document: Any) -> Trace:
    """A trace whose parts fit together. Raises BadTrace that names what does not."""
    document = check_trace(document)
    return Trace(document, document["steps"])
