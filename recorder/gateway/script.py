"""The injected script and its worker, joined from `static/recorder/*.js`, under names that change with their text."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import brotli

try:
    import minify
except ImportError:  # there is no wheel for every machine: the script is then served as it was written
    minify = None

FOLDER = Path(__file__).resolve().parents[2] / "static" / "recorder"
PREFIX = "/__footpath__/"
EVENTS = PREFIX + "events"
# Chromium then compiles the whole script while it loads, off the page's own thread: a tenth of the recorder's cost on a small page.
EAGER = b"//# allFunctionsCalledOnLoad\n"


@dataclass(frozen=True)
class Script:
    """A served file: its path on the recording's origin, its bytes, and the hash that CSP and `integrity` use."""

    path: str
    body: bytes
    integrity: str
    encoded: dict[str, bytes]  # the same body by content coding, the best first

    def accepted(self, codings: bytes) -> tuple[str, bytes]:
        """The coding (empty where none) and the bytes for a request with this `Accept-Encoding`."""
        parts = codings.decode("latin-1").lower().replace(" ", "").split(",")
        wanted = {part.partition(";")[0] for part in parts if not part.endswith((";q=0", ";q=0.0"))}
        return next(((coding, body) for coding, body in self.encoded.items() if coding in wanted), ("", self.body))


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


@lru_cache(maxsize=256)
def scripts(watch: str = "") -> Scripts:
    """The files as they are on disk when first asked for; a new version needs a restart, as all code does.

    `watch` is the JSON of what success looks like in the page, where it is the page that says so.
    """
    workers = [path for path in sources() if path.name.startswith("worker")]
    worker = named("w", joined(workers)) if workers else None
    recorder = [path for path in sources() if path not in workers]
    body = watching(recorder, json.loads(watch)) if watch else joined(recorder)
    return Scripts(named("r", EAGER + body), worker)


def watching(recorder: Iterable[Path], sought: dict[str, Any]) -> bytes:
    """The recorder with the part that watches for success.

    A predicate is handed in from outside, so that the names in it are the page's and not the recorder's.
    """
    text = "\n".join(path.read_text(encoding="utf-8") for path in [*recorder, FOLDER / "watch" / "watch.js"])
    given = f"()=>({sought['predicate']})" if sought["predicate"] else json.dumps(sought["selector"])
    ends = "true" if sought.get("ends") else "false"
    return minified(f"((sought,ends)=>{{\n{text}\n}})({given},{ends});\n").encode()


def sources() -> list[Path]:
    """All parts in the order in which they are joined."""
    return sorted(FOLDER.glob("*.js"))


def joined(paths: Iterable[Path]) -> bytes:
    """The parts inside one function, so that nothing of them is a global of the page."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    return minified(f"(()=>{{\n{text}\n}})();\n").encode()


def minified(text: str) -> str:
    """Without comments and long names; begins with `(()=>{` as before."""
    if minify is None:
        return text
    short: str = minify.string("application/javascript", text)
    return short


def harness_source(worker_path: str | None = None) -> str:
    """The recorder for where no script element carries its settings (Playwright's init script)."""
    worker = worker_path or (served.path if (served := scripts().worker) else "")
    boot = f'const BOOT = {{worker: "{worker}", everywhere: true}};'
    return scripts().recorder.body.decode().replace("(()=>{", "(()=>{\n" + boot, 1)


def named(letter: str, body: bytes) -> Script:
    digest = hashlib.sha256(body).digest()
    encoded = {"br": brotli.compress(body), "gzip": gzipped(body)}
    integrity = "sha256-" + base64.b64encode(digest).decode()
    return Script(f"{PREFIX}{letter}.{digest.hex()[:16]}.js", body, integrity, encoded)


def gzipped(body: bytes) -> bytes:
    """The smallest that zlib makes of it: with less memory it takes shorter blocks, which suit a script."""
    packed = []
    for memory in range(5, 10):
        packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS, memory)
        packed.append(packer.compress(body) + packer.flush())
    return min(packed, key=len)


def tag(*, xml: bool = False, watch: str = "") -> str:
    """The element that is put first into a document: ASCII, well-formed in XML too, the same for all that watch alike."""
    served = scripts(watch)
    worker = f' data-worker="{served.worker.path}"' if served.worker else ""
    namespace = ' xmlns="http://www.w3.org/1999/xhtml"' if xml else ""
    return (
        f'<script{namespace} src="{served.recorder.path}"{worker} crossorigin="anonymous" '
        f'integrity="{served.recorder.integrity}"></script>'
    )
