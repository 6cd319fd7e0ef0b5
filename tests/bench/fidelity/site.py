"""The pages of the bench, on loopback: MiniWoB++ from its package, seeded and begun at once, and the component pages."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import miniwob

HTML = Path(miniwob.__file__).parent / "html"
CACHE = Path(__file__).parent / ".cache"
CORE = re.compile(r"<script[^>]*core/core\.js[^>]*></script>")
# Behind core.js: no START cover, no time limit, one episode of the seed.
SHIM = """<style>#reward-display, #click-canvas {{ display: none }}</style><script>
(() => {{
  let began = false;
  Object.defineProperty(core, "EPISODE_MAX_TIME", {{ get: () => 86400000, set: () => {{}} }});
  core.startEpisode = () => {{
    if (began) return;
    began = true;
    core.createDisplay();
    core.cover_div = document.createElement("div");
    core.cover_div.id = "sync-task-cover";
    core.cover_div.style.display = "none";
    document.body.appendChild(core.cover_div);
    Math.seedrandom({seed});
    core.startEpisodeReal();
  }};
}})();
</script>"""


class Pages(SimpleHTTPRequestHandler):
    """`/miniwob/TASK.html?seed=N`, the package's other files, and `/components/…` from the cache."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path.startswith("/miniwob/") and parts.path.endswith(".html"):
            return self.task(parts.path, parse_qs(parts.query).get("seed", ["1"])[0])
        return super().do_GET()

    def task(self, path: str, seed: str) -> None:
        page = (HTML / path.lstrip("/")).read_text("utf-8")
        body = CORE.sub(lambda core: core.group() + SHIM.format(seed=int(seed)), page, count=1).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def translate_path(self, path: str) -> str:
        plain = urlsplit(path).path.lstrip("/")
        root, rest = (CACHE / "pages", plain[11:]) if plain.startswith("components/") else (HTML, plain)
        found = (root / rest).resolve()
        return str(found if found.is_relative_to(root.resolve()) else root / "none")

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[str]:
    """The origin of the running site."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
