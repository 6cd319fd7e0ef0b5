"""A Chromium that nobody pretends anything to: Playwright makes every page believe that it is in front and has the focus."""

from __future__ import annotations

import itertools
import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from recorder.browser import launch_options

# What no protocol offers: a tab that is duplicated as its menu does it, once its title asks for that.
DUPLICATOR = """chrome.tabs.onUpdated.addListener((id, change) => {
  if (change.title === "duplicate me") chrome.tabs.duplicate(id);
});"""
MANIFEST = {"manifest_version": 3, "name": "Duplicator", "version": "1", "permissions": ["tabs"],
            "background": {"service_worker": "background.js"}, "host_permissions": ["<all_urls>"]}  # fmt: skip


class Tabs:
    """The tabs of one window, over the browser's own protocol."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.numbers = itertools.count(1)
        self.sessions: dict[str, str] = {}

    def ask(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        """One command, and its answer."""
        number = next(self.numbers)
        command = {"id": number, "method": method, "params": params}
        self.socket.send(json.dumps(command | ({"sessionId": session} if session else {})))
        while (answer := json.loads(self.socket.recv(30))).get("id") != number:
            pass
        assert "error" not in answer, answer
        found: dict[str, Any] = answer["result"]
        return found

    def open(self, url: str) -> str:
        """A new tab in front; its id."""
        return str(self.ask("Target.createTarget", url=url)["targetId"])

    def front(self, tab: str) -> None:
        """Bring a tab to the front, as a click on it does."""
        self.ask("Target.activateTarget", targetId=tab)

    def run(self, tab: str, script: str) -> Any:
        """The value of an expression in a tab."""
        if tab not in self.sessions:
            self.sessions[tab] = self.ask("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]
        return self.ask("Runtime.evaluate", self.sessions[tab], expression=script)["result"].get("value")

    def at(self, url: str) -> list[str]:
        """The tabs that show this address."""
        return [one["targetId"] for one in self.ask("Target.getTargets")["targetInfos"] if one["url"] == url]


@contextmanager
def tabs(folder: Path) -> Iterator[Tabs]:
    """A headless Chromium of its own, with an empty profile in `folder`."""
    extension = folder / "duplicator"
    extension.mkdir()
    (extension / "manifest.json").write_text(json.dumps(MANIFEST))
    (extension / "background.js").write_text(DUPLICATOR)
    options = launch_options()
    args = [str(options["executable_path"]), "--headless", "--disable-gpu", "--remote-debugging-port=0",
            f"--user-data-dir={folder / 'profile'}", "--enable-unsafe-extension-debugging"]  # fmt: skip
    process = subprocess.Popen([*args, *options["args"], "about:blank"], stderr=subprocess.DEVNULL)  # type: ignore[misc]  # noqa: S603
    try:
        with connect(address(folder / "profile" / "DevToolsActivePort", process), max_size=None) as socket:
            found = Tabs(socket)
            found.ask("Extensions.loadUnpacked", path=str(extension))
            yield found
    finally:
        process.terminate()
        process.wait(30)


def address(port_file: Path, process: subprocess.Popen[bytes]) -> str:
    """Where the browser listens, once it does."""
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        if port_file.exists() and (lines := port_file.read_text().split()) and len(lines) == 2:
            return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
        time.sleep(0.05)
    raise AssertionError("Chromium did not start")
