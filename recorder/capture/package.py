"""Where rrweb's files are: in the package django-rrweb, of which nothing but these files is used."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

PACKAGE = "django_rrweb"
RECORD = "rrweb-record-1-1-3.js"
PLAYER = "rrweb-player-0-7-14.js"
PLAYER_STYLE = "rrweb-player-0-7-14-style.css"


def folder() -> Path:
    """The folder of rrweb's files. Raises RuntimeError where the package is not installed."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise RuntimeError("The package django-rrweb is missing: install requirements.lock again.")
    return Path(spec.origin).parent / "static" / "django-rrweb"
