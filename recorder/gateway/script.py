"""The injected script and its worker, joined from `static/recorder/*.js`, under names that change with their text."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "static" / "recorder"
PREFIX = "/__footpath__/"
EVENTS = PREFIX + "events"


@dataclass(frozen=True)
class Script:
    """A served file: its path on the recording's origin, its bytes, and the hash that CSP and `integrity` use."""

    path: str
    body: bytes
    integrity: str


@dataclass(frozen=True)
class Scripts:
    """The recorder and its worker; `worker` is None where there is none."""

    recorder: Script
    worker: Script | None

    @property
    def mark(self) -> str:
        """What tells this version of the recorder from others."""
        return self.recorder.path.removesuffix(".js").rpartition(".")[2][:12]

    def by_path(self, path: str) -> Script | None:
        """The file served at `path`, or None."""
        return next((script for script in (self.recorder, self.worker) if script and script.path == path), None)


@cache
def scripts() -> Scripts:
    """The files as they are on disk when first asked for; a new version needs a restart, as all code does."""
    workers = [path for path in sources() if path.name.startswith("worker")]
    worker = named("w", joined(workers)) if workers else None
    return Scripts(named("r", joined(path for path in sources() if path not in workers)), worker)


def sources() -> list[Path]:
    """All parts in the order in which they are joined."""
    return sorted(FOLDER.glob("*.js"))


def joined(paths: object) -> bytes:
    """The parts inside one function, so that nothing of them is a global of the page."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)  # type: ignore[attr-defined]
    return f"(()=>{{\n{text}\n}})();\n".encode()


def harness_source(worker_path: str | None = None) -> str:
    """The recorder for where no script element carries its settings (Playwright's init script)."""
    worker = worker_path or (served.path if (served := scripts().worker) else "")
    boot = f'const BOOT = {{worker: "{worker}", everywhere: true}};'
    return scripts().recorder.body.decode().replace("(()=>{", "(()=>{\n" + boot, 1)


def named(letter: str, body: bytes) -> Script:
    digest = hashlib.sha256(body).digest()
    return Script(f"{PREFIX}{letter}.{digest.hex()[:16]}.js", body, "sha256-" + base64.b64encode(digest).decode())


@cache
def tag(*, xml: bool = False) -> str:
    """The element that is put first into a document: ASCII, the same for every recording, well-formed in XML too."""
    served = scripts()
    worker = f' data-worker="{served.worker.path}"' if served.worker else ""
    namespace = ' xmlns="http://www.w3.org/1999/xhtml"' if xml else ""
    return (
        f'<script{namespace} src="{served.recorder.path}"{worker} crossorigin="anonymous" '
        f'integrity="{served.recorder.integrity}"></script>'
    )
