"""The harness answers for its recorder alone: preflights are the site's own to answer, and the browser keeps its cache."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from recorder.harness.desk import Desk
from recorder.harness.record import Take, read_address
from tests.recorder.toy import ToySite, running

pytestmark = pytest.mark.e2e
PUT = "fetch('{}/without-cors', {{method: 'PUT', headers: {{'x-a': '1'}}}}).then(() => 'done', (e) => e.name)"


def test_the_sites_own_requests_are_left_alone(chromium: Browser, desk: Desk) -> None:
    with running(ToySite()) as site, running(ToySite()) as other:
        for number in range(3):
            link = f"<a id=to{number + 1} href=/{number + 1}.html>Next</a>"
            site.answer(f"/{number}.html", f"<!doctype html><script src=/kept.js></script>{link}")
        site.answer("/kept.js", "1", kind="text/javascript", Cache_Control="max-age=1000")
        other.answer("/without-cors")
        actions = [
            {"do": "click", "at": "#to1"},
            {"do": "click", "at": "#to2"},
            {"do": "wait_for", "css": "#to3"},
            {"do": "expect", "js": PUT.format(other.origin), "equals": "TypeError"},
        ]
        trace = Take(chromium, desk, read_address(site.origin + "/0.html"), actions).by("harness")
    assert trace["proof"]["complete"], trace["proof"]
    assert [asked.method for asked in other.asked] == ["OPTIONS"]
    targets = [asked.target for asked in site.asked if asked.target != "/favicon.ico"]
    assert targets == ["/0.html", "/kept.js", "/1.html", "/2.html"]
