"""The gateway with the real recorder in a real Chromium: it runs and reports whatever the page's policy and shape."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import web
from playwright.sync_api import Browser, Error, Page, Playwright

from recorder import closings, columns, recordings
from recorder.browser import launch_options
from recorder.gateway import vouch
from recorder.held import stored_of
from recorder.models import Document, Event, Recording, SiteRequest
from recorder.proof import Proof
from recorder.recordings import assemble
from recorder.trace import build_trace
from tests.e2e.server import Live
from tests.recorder.conftest import live, recording, site, toy_site
from tests.recorder.toy import ToySite

__all__ = ["live", "recording", "site", "toy_site"]
pytestmark = pytest.mark.e2e
# Playwright's loop runs in the tests' thread, where the database is asked too.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

BODY = "<title>T</title></head><body><button id=go onclick=\"document.title='hit'\">Go</button></body></html>"
XHTML = (
    b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><button id="go">Go</button></body></html>'
)
SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><rect id="go" width="50" height="50"/></svg>'
PAGE = "<!doctype html><html><head><meta charset=utf-8>" + BODY


@pytest.fixture(scope="module")
def chromium(driver: Playwright) -> Iterator[Browser]:
    browser = driver.chromium.launch(**launch_options())  # type: ignore[arg-type]
    yield browser
    browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    yield context.new_page()
    context.close()


def finish(recording: Recording, page: Page | None = None, seconds: float = 8.0) -> Proof:
    """Close as Evaluate does: ask for the rest, wait until it is held, close."""
    recordings.begin_closing(recording)
    deadline = time.monotonic() + seconds
    while not recordings.is_drained(recording) and time.monotonic() < deadline:
        page.wait_for_timeout(50) if page else time.sleep(0.05)
    return recordings.close_recording(recording)


def clicks(recording: Recording) -> list[dict[str, Any]]:
    return [event for event in recordings.raw_events(recording) if event["type"] == "click"]


def check(live: Live, recording: Recording, page: Page) -> Proof:
    """Load, click the button once, close; the click must be held."""
    page.goto(recordings.recording_url(recording))
    page.click("#go")
    proof = finish(recording, page)
    assert [event["target"]["css"] for event in clicks(recording)] == ["#go"]
    assert proof.complete, proof
    return proof


POLICIES = {
    "none": "",
    "self": "default-src 'self'; script-src 'self' 'unsafe-inline'",
    "nothing at all": "default-src 'none'",
    "nonce": "script-src 'nonce-abc'",
    "strict-dynamic": "script-src 'nonce-abc' 'strict-dynamic'; object-src 'none'; base-uri 'none'",
    "hash": "script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; connect-src 'none'",
    "inline only": "script-src 'unsafe-inline'; connect-src 'none'; worker-src 'none'",
    "trusted types": "require-trusted-types-for 'script'; trusted-types page",
    "two headers' worth": "script-src 'none', default-src 'self'",
}


@pytest.mark.parametrize("name", POLICIES)
def test_the_recorder_runs_and_reports_under(
    live: Live, site: ToySite, recording: Recording, page: Page, name: str
) -> None:
    policy = POLICIES[name]
    site.answer("/page.html", PAGE, **({"Content_Security_Policy": policy} if policy else {}))
    check(live, recording, page)
    inline_runs = not policy or "'unsafe-inline'" in policy or "trusted" in name
    assert page.title() == ("hit" if inline_runs else "T")  # the page's own policy is as strict as it was


STRICT = "require-trusted-types-for 'script'; report-uri /rep"
NONE_OF_ITS_OWN = "trusted-types 'none'; report-uri /rep"


def test_trusted_types_hold_for_the_page_and_are_not_violated_by_the_recorder(
    live: Live, site: ToySite, recording: Recording, page: Page
) -> None:
    site.answer(
        "/page.html",
        PAGE,
        Content_Security_Policy=STRICT,
        Content_Security_Policy_Report_Only=NONE_OF_ITS_OWN,
    )
    site.answer("/favicon.ico", kind="image/x-icon")
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    with page.expect_worker():
        check(live, recording, page)
    assert said == []  # every violation would be told here, also one before the page's first script
    assert [asked.target for asked in site.asked if asked.target.startswith("/rep")] == []
    assert page.evaluate("trustedTypes.defaultPolicy") is None
    with pytest.raises(Error, match="TrustedHTML"):
        page.evaluate("() => { document.body.innerHTML = '<b>x</b>'; }")


def test_a_policy_in_a_meta_element(live: Live, site: ToySite, recording: Recording, page: Page) -> None:
    meta = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">"
    site.answer("/page.html", "<!doctype html><html><head>" + meta + BODY)
    check(live, recording, page)


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("text/html", PAGE.encode("utf-16")),
        ("text/html; charset=utf-16", PAGE.encode("utf-16-le")),
        ("text/html", b"<button id=go>Go</button>"),
        ("application/xhtml+xml", XHTML),
        ("image/svg+xml", SVG),
        ("", PAGE.encode()),
    ],
)
def test_odd_documents(live: Live, site: ToySite, recording: Recording, page: Page, kind: str, content: bytes) -> None:
    site.answer("/page.html", content, kind=kind)
    check(live, recording, page)


def test_the_page_keeps_its_mode_and_sees_no_element_of_ours(
    live: Live, site: ToySite, recording: Recording, page: Page
) -> None:
    site.answer("/page.html", "<html><head><title>q</title></head><body><button id=go>Go</button></body></html>")
    check(live, recording, page)
    assert page.evaluate("document.compatMode") == "BackCompat"
    assert page.evaluate("document.documentElement.outerHTML") == (
        '<html><head><title>q</title></head><body><button id="go">Go</button></body></html>'
    )


def test_a_page_from_the_browsers_cache_is_recorded(
    live: Live, site: ToySite, recording: Recording, page: Page
) -> None:
    async def cached(request: web.Request) -> web.StreamResponse:
        if request.headers.get("If-None-Match") == '"v1"':
            return web.Response(status=304, headers={"ETag": '"v1"'})
        return web.Response(text=PAGE, content_type="text/html", headers={"ETag": '"v1"', "Cache-Control": "no-cache"})

    site.handlers["/page.html"] = cached
    url = recordings.recording_url(recording)
    page.goto(url)
    assert page.evaluate("fetch('/page.html').then(r => r.text()).then(t => t.includes('__footpath__'))") is False
    page.goto("about:blank")
    page.goto(url)
    page.click("#go")
    assert finish(recording, page).complete
    assert len(clicks(recording)) == 1
    assert recording.documents.count() == 2


def test_frames_tabs_and_navigation_in_one_recording(
    live: Live, site: ToySite, recording: Recording, page: Page
) -> None:
    site.answer(
        "/page.html",
        PAGE.replace("<body>", "<body><iframe src=in.html></iframe><a id=n href=next.html target=_blank>New</a>"),
    )
    site.answer("/in.html", PAGE)
    site.answer("/next.html", PAGE)
    page.goto(recordings.recording_url(recording))
    page.frame_locator("iframe").locator("#go").click()
    with page.expect_popup() as popup:
        page.click("#n")
    popup.value.click("#go")
    page.bring_to_front()
    page.click("#go")
    proof = finish(recording, page)
    assert proof.complete, proof
    trace = build_trace(recording)
    assert [(step["type"], step["tab"], step["frame"]) for step in trace["steps"]] == [
        ("click", 1, "0"),
        ("click", 1, ""),
        ("click", 2, ""),
        ("tab", 1, ""),
        ("click", 1, ""),
    ]


def test_a_link_to_the_site_beside_the_gateway_is_a_gap(
    live: Live, site: ToySite, recording: Recording, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(closings, "ON_ITS_WAY_S", -60)  # closing follows at once here, by another clock than the page's
    beside = f"{site.origin}/beside.html"
    site.answer("/page.html", PAGE.replace("<body>", f"<body><a id=n href={beside}>Next</a>"))
    site.answer("/beside.html", PAGE)
    page.goto(recordings.recording_url(recording))
    page.click("#n")
    page.wait_for_url(beside)
    deadline = time.monotonic() + 15
    while recording.documents.filter(closed_at=None).exists() and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    (gap,) = finish(recording, page).gaps
    assert gap["why"] == f"left for a page that was not recorded: {beside}"


def test_what_the_recorder_writes_need_not_be_parsed(
    live: Live, site: ToySite, recording: Recording, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    field = '<input id=a type=email aria-label="Say &quot;type&quot;:, {é}">'
    site.answer("/page.html", PAGE.replace("<body>", f"<body>{field}<iframe src=in.html></iframe>"))
    site.answer("/in.html", PAGE)
    page.goto(recordings.recording_url(recording))
    page.fill("#a", "ada@example.org")
    page.click("#go")
    page.frame_locator("iframe").locator("#go").click()
    finish(recording, page)
    parsed: list[str] = []
    monkeypatch.setattr(columns, "assemble", lambda line, page: parsed.append(line) or assemble(line, page))
    found = columns.table_of(stored_of([recording]))
    assert [json.loads(text) for text in found["event"]] == recordings.raw_events(recording)
    assert {"navigate", "input", "change", "click", "blur"} <= set(found["type"])
    assert parsed == []


SIGN_IN = """<form action=/in.html><input name=word type=password id=w><button id=in>In</button></form>
<button id=ask>Ask</button><script>ask.onclick = async () => {
  const q = w.value || "tea";
  const body = JSON.stringify({q});
  await fetch("/find?about=" + q, {method: "POST", body, headers: {"Content-Type": "application/json"}});
  document.title = "asked";
};</script>"""


def test_a_secret_is_in_no_table_under_whatever_name_the_page_sends_it(
    live: Live, site: ToySite, recording: Recording, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vouch, "AT_LEAST", timedelta(seconds=0.5))
    site.answer("/page.html", PAGE.replace("<body>", "<body>" + SIGN_IN))
    site.answer("/in.html", PAGE)
    site.answer("/find", '{"found":"Zq7Xw9"}', kind="application/json")
    page.goto(recordings.recording_url(recording))
    page.click("#ask")
    asked = SiteRequest.objects.filter(path="/find?about=tea", request_body='{"q":"tea"}')
    deadline = time.monotonic() + 15
    while not asked.exists() and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    page.evaluate("document.title = 'T'")
    page.click("#w")
    page.keyboard.type("Zq7Xw9")
    page.click("#ask")
    page.wait_for_function("document.title == 'asked'")
    page.click("#in")
    page.wait_for_url("**/in.html?word=Zq7Xw9")
    finish(recording, page)
    posts = SiteRequest.objects.filter(method="POST").order_by("t")
    deadline = time.monotonic() + 15
    while posts.count() < 2 and time.monotonic() < deadline:  # the log is written behind the replies
        page.wait_for_timeout(50)
    first, second = posts
    assert (first.request_body, first.response_body) == ('{"q":"tea"}', '{"found":"Zq7Xw9"}')  # which was no secret yet
    assert (second.path, second.request_body) == ("/find?about=***", '{"q":"***"}')
    requests = SiteRequest.objects.exclude(pk=first.pk)
    stored = [list(found.values()) for found in (requests, Event.objects.all(), Document.objects.all())]
    assert "Zq7" not in str(stored)


def test_a_sandboxed_frame_reports(live: Live, site: ToySite, recording: Recording, page: Page) -> None:
    site.answer("/page.html", PAGE.replace("<body>", "<body><iframe sandbox=allow-scripts src=in.html></iframe>"))
    site.answer("/in.html", PAGE)
    page.goto(recordings.recording_url(recording))
    page.frame_locator("iframe").locator("#go").click()
    page.wait_for_timeout(1500)
    finish(recording, page)
    assert len(clicks(recording)) == 1


def test_a_closed_recording_stops_the_page_quietly(live: Live, site: ToySite, recording: Recording, page: Page) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    site.answer("/page.html", PAGE)
    check(live, recording, page)
    page.click("#go")
    page.wait_for_timeout(1500)
    assert len(clicks(recording)) == 1
    assert errors == []
