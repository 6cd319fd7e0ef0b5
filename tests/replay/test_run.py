"""A replay of a site without a control API: its folder is served meanwhile, and what its pages show is the verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from recorder.environments.base import Session, TaskRef, Watch
from recorder.replay.player import Settings
from recorder.replay.run import replay_task
from recorder.replay.source import source_of

pytestmark = pytest.mark.e2e
PAGE = "<!doctype html><title>page</title><button id=b onclick='o.hidden = false'>Buy</button><p id=o hidden>Bought</p>"


class Folder:
    """An adapter of a folder of files; `watch` None means that the annotator is asked."""

    def __init__(self, folder: Path, watch: Watch | None) -> None:
        upstream = folder.resolve().as_uri()
        self.session = Session("s", upstream, "/page.html", "", None, watch=watch, asks=watch is None)

    def prepare(self, ref: TaskRef) -> Session:
        return replace(self.session)

    def close(self, session_id: str) -> None:
        pass


@pytest.mark.parametrize(
    ("watch", "passed"),
    [(Watch(selector="#o"), True), (Watch(predicate="document.title === 'sold'"), False), (None, None)],
)
def test_what_the_pages_show(
    watch: Watch | None, passed: bool | None, lab: Callable[[], Any], chromium: Browser, tmp_path: Path
) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    with lab() as there:
        source = source_of(there.record([{"do": "click", "at": "#b"}]))
    ref = TaskRef("folder", "buy", None, 1)
    done = replay_task(chromium, source, Folder(tmp_path, watch), ref, Settings())  # type: ignore[arg-type]
    assert (done.played, done.verdict.passed if done.verdict else None) == (True, passed)
