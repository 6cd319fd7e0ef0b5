"""The Playwright test made of a trace runs by itself and does again what was recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright

from recorder.browser import find_chromium, launch_options
from recorder.formats.read import checked
from recorder.formats.registry import convert
from recorder.harness.desk import Desk
from recorder.harness.drive import read_drive
from recorder.harness.record import Take, read_address
from recorder.management.commands.convert_trace import pages
from recorder.replay.pages import Pages
from recorder.replay.player import Settings
from recorder.replay.run import replay_at
from recorder.replay.source import source_of
from tests.benchmark.running import RunningServer
from tests.e2e.recorder.site import serve

SITE = Path(__file__).with_name("site")
pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def chromium(driver: Playwright) -> Iterator[Browser]:
    browser = driver.chromium.launch(**launch_options())  # type: ignore[arg-type]
    yield browser
    browser.close()


@pytest.fixture
def desk(transactional_db: None) -> Iterator[Desk]:
    with Desk() as running:
        yield running


def recorded(chromium: Browser, desk: Desk, url: str, drive: Path) -> str:
    """The Playwright test of a fresh recording."""
    trace = Take(chromium, desk, read_address(url), read_drive(drive), drive.parent).by("gateway")
    assert trace["proof"]["complete"]
    return convert(checked(trace), "playwright").text


def run(program: str, folder: Path, start_url: str) -> subprocess.CompletedProcess[str]:
    path = folder / "test_trace.py"
    path.write_text(program)
    settings = os.environ | {"START_URL": start_url, "FILES_DIR": str(SITE)} | browser_setting()
    return subprocess.run([sys.executable, path], env=settings, capture_output=True, text=True, check=False)


def browser_setting() -> dict[str, str]:
    found = find_chromium()
    return {"CHROMIUM_PATH": found} if found else {}


def test_every_kind_of_step(chromium: Browser, desk: Desk, tmp_path: Path) -> None:
    with serve(SITE) as origin:
        program = recorded(chromium, desk, origin + "/index.html", SITE / "drive.json")
        ran = run(program, tmp_path, origin + "/index.html")
        assert ran.returncode == 0, ran.stderr
        elsewhere = program.replace("path = '/index.html'", "path = '/elsewhere'").replace(
            "wait_for_url(", "wait_for_url(timeout=500, url="
        )
        assert run(elsewhere, tmp_path, origin + "/index.html").returncode == 1


def test_mind2web_has_the_pages_that_a_replay_kept(chromium: Browser, desk: Desk, tmp_path: Path) -> None:
    with serve(SITE) as origin:
        address = read_address(origin + "/index.html")
        trace = Take(chromium, desk, address, read_drive(SITE / "drive.json"), SITE).by("gateway")
        source = source_of(trace)
        kept = Pages()
        done = replay_at(chromium, source, origin + "/index.html", Settings(files=SITE), kept)
    assert done.played, done.as_dict()
    assert kept.write(tmp_path / "pages", done) > 10
    document = json.loads(convert(checked(trace), "mind2web", pages=pages(tmp_path / "pages")).text)
    typed = next(action for action in document["actions"] if action["operation"]["op"] == "TYPE")
    assert "<h1>Widgets</h1>" in typed["raw_html"]
    assert "<script" not in typed["cleaned_html"]


def test_the_sample_shop_passes_again(chromium: Browser, desk: Desk, tmp_path: Path) -> None:
    server = RunningServer(tmp_path / "sessions")
    try:
        first, second, idle = (server.prepare("kettle-to-cart") for _ in range(3))
        drive = tmp_path / "drive.json"
        drive.write_text(
            '[{"do": "click", "at": "#q"}, {"do": "type", "text": "kettle"}, {"do": "press", "key": "Enter"},'
            ' {"do": "wait_for", "css": "text=Halden stovetop kettle"}, {"do": "click", "at": "text=Halden stovetop kettle"},'
            ' {"do": "wait_for", "css": "text=Sage green"}, {"do": "click", "at": "text=Sage green"},'
            ' {"do": "click", "at": "text=Add to cart"}, {"do": "wait_for", "css": "#cart-count:text-is(\'1\')"}]'
        )
        program = recorded(chromium, desk, first["upstream"] + first["start_path"], drive)
        assert not server.evaluate(idle["id"])["passed"]
        ran = run(program, tmp_path, second["upstream"] + second["start_path"])
        assert ran.returncode == 0, ran.stderr
        assert server.evaluate(second["id"])["passed"]
    finally:
        server.stop()
