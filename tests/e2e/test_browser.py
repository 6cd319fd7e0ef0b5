"""How Chromium is started: what Playwright switches off stays off, and no page of the browser's own window is loaded."""

from __future__ import annotations

import re

import psutil
import pytest
from playwright.sync_api import Playwright

from recorder.browser import launch_options

pytestmark = pytest.mark.e2e


def test_what_is_switched_off(driver: Playwright) -> None:
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    browser = driver.chromium.launch(**launch_options())  # type: ignore[arg-type]
    browser.new_context().new_page().goto("data:text/html,<p>x")
    lines = [" ".join(one.cmdline()) for one in psutil.Process().children(recursive=True) if one.pid not in before]
    (main,) = [
        line for line in lines if "--disable-features=" in line and "--type=" not in line and "chrom" in line.lower()
    ][:1]
    theirs, ours = (set(found.split(",")) for found in re.findall(r"--disable-features=(\S+)", main))
    assert theirs <= ours
    assert [line for line in lines if "top-chrome-webui" in line] == []
    browser.close()
