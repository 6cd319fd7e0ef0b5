"""The harness on a page whose policy forbids everything: it is recorded, and its own code gets nothing that it had not."""

from __future__ import annotations

import json
import time

import pytest
from playwright.sync_api import Browser

from recorder.harness.desk import Desk
from recorder.harness.record import Take, read_address
from tests.recorder.toy import ToySite, running

pytestmark = pytest.mark.e2e
STRICT = (
    "script-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'; connect-src 'none'; report-uri /said"
)
BUTTON = "<button id=go onclick=\"document.title='hit'\">Go</button>"
PAGE = f"<!doctype html><title>T</title><script>document.title = 'ran'</script>{BUTTON}<iframe src=in.html></iframe>"
UNSAFE = "(() => { try { document.body.innerHTML = '<b>x</b>'; return 'done'; } catch (e) { return e.name; } })()"
ASK = "fetch('/other').then(() => 'done', (e) => e.name)"


def test_a_policy_that_forbids_everything(chromium: Browser, desk: Desk) -> None:
    with running(ToySite()) as site:
        site.answer("/page.html", PAGE, Content_Security_Policy=STRICT)
        site.answer("/in.html", f"<!doctype html>{BUTTON}", Content_Security_Policy=STRICT)
        site.answer("/said", status=204)
        site.answer("/", status=302, Location="/page.html", Content_Security_Policy=STRICT)
        actions = [
            {"do": "expect", "js": UNSAFE, "equals": "TypeError"},
            {"do": "expect", "js": "document.title", "equals": "T"},
            {"do": "click", "at": "iframe >> #go"},
            {"do": "click", "at": "#go"},
            {"do": "expect", "js": ASK, "equals": "TypeError"},
            {"do": "expect", "js": "document.title", "equals": "T"},
        ]
        trace = Take(chromium, desk, read_address(site.origin + "/"), actions).by("harness")
        reports = told(site, 5)
    assert sorted((step["type"], step["frame"]) for step in trace["steps"]) == [("click", ""), ("click", "0")]
    assert trace["proof"]["complete"]
    assert sorted(reports) == [
        ("/in.html", "script-src-attr"),
        ("/page.html", "connect-src"),
        ("/page.html", "require-trusted-types-for"),
        ("/page.html", "script-src-attr"),
        ("/page.html", "script-src-elem"),
    ]


def test_a_page_that_may_ask_its_own_site_alone_says_farewell(chromium: Browser, desk: Desk) -> None:
    with running(ToySite()) as site, running(ToySite()) as other:
        link = f"<a id=next href={other.origin}/next.html>Next</a>"
        site.answer("/page.html", f"<!doctype html>{BUTTON}{link}", Content_Security_Policy="default-src 'self'")
        other.answer("/next.html", "<!doctype html><p id=there>There")
        actions = [
            {"do": "click", "at": "#go"},
            {"do": "click", "at": "#next"},
            {"do": "wait_for", "css": "#there"},
        ]
        trace = Take(chromium, desk, read_address(site.origin + "/page.html"), actions).by("harness")
    assert [step["type"] for step in trace["steps"]] == ["click", "click"]
    assert trace["proof"]["complete"], trace["proof"]


def told(site: ToySite, count: int) -> list[tuple[str, str]]:
    """Page and directive of each violation that the site was told of, once there are `count`."""
    deadline = time.monotonic() + 10
    while len(said := [asked for asked in site.asked if asked.target == "/said"]) < count:
        assert time.monotonic() < deadline, said
        time.sleep(0.05)
    reports = [json.loads(asked.body)["csp-report"] for asked in said]
    return [(report["document-uri"].removeprefix(site.origin), report["effective-directive"]) for report in reports]
