"""The page as the person saw it: captured in a real Chromium, without its secrets, and without a trace in the page."""

from __future__ import annotations

import base64
import gzip
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright

from recorder import recordings
from recorder.browser import launch_options
from recorder.capture import script
from recorder.capture.query import events_of, page_events, pages_of
from recorder.environments.base import Session
from recorder.harness.desk import Desk
from recorder.harness.record import WAYS, Take, read_address
from recorder.models import CaptureChunk, Recording
from tests.e2e.server import Live
from tests.e2e.test_gateway_in_chromium import BODY, PAGE, POLICIES, XHTML, check, finish
from tests.recorder.conftest import live, site, toy_site
from tests.recorder.toy import ToySite

__all__ = ["live", "site", "toy_site"]
pytestmark = pytest.mark.e2e
# Playwright's loop runs in the tests' thread, where the database is asked too.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000"
    "000049454e44ae426082"
)


@pytest.fixture(scope="module")
def chromium(driver: Playwright) -> Iterator[Browser]:
    browser = driver.chromium.launch(**launch_options())  # type: ignore[arg-type]
    yield browser
    browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    page = context.new_page()
    page.errors = []  # type: ignore[attr-defined]
    page.on("pageerror", lambda error: page.errors.append(error))  # type: ignore[attr-defined]
    yield page
    assert page.errors == []  # type: ignore[attr-defined]
    context.close()


@pytest.fixture
def recording(site: ToySite, transactional_db: Any) -> Recording:
    session = Session("s1", site.origin, "/page.html", "Toy", None)
    return recordings.open_recording(session=session, adapter="static", capture=True)


def wait(page: Page, holds: Callable[[], Any], seconds: float = 20) -> Any:
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, "it never held"
        page.wait_for_timeout(50)
    return found


def captured(recording: Recording) -> list[dict[str, Any]]:
    return [event for _, events in events_of(recording) for event in events]


def text_of(recording: Recording) -> str:
    chunks = CaptureChunk.objects.filter(page__recording=recording).order_by("page", "n")
    return "\n".join(gzip.decompress(chunk.body).decode() for chunk in chunks)


def wait_whole(page: Page, recording: Recording) -> None:
    """Until every page has said its last word and all of its pieces are there: they come at once, in any order."""
    wait(page, lambda: all(one.row.ended and not one.missing for one in pages_of(recording)))


def open_and_wait(recording: Recording, page: Page) -> None:
    page.goto(recordings.recording_url(recording))
    wait(page, lambda: any(event["type"] == 2 for event in captured(recording)))


@pytest.mark.parametrize("name", POLICIES)
def test_both_run_under(live: Live, site: ToySite, recording: Recording, page: Page, name: str) -> None:
    policy = POLICIES[name]
    site.answer("/page.html", PAGE, **({"Content_Security_Policy": policy} if policy else {}))
    page.goto(recordings.recording_url(recording))
    wait(page, lambda: any(event["type"] == 2 for event in captured(recording)))
    page.click("#go")
    assert finish(recording, page).complete
    wait_whole(page, recording)
    (one,) = pages_of(recording)
    assert one.doc == recording.documents.get().doc
    assert [event["data"]["type"] for event in page_events(one) if event["data"].get("source") == 2][-1] is not None
    inline_runs = not policy or "'unsafe-inline'" in policy or "trusted" in name
    assert page.title() == ("hit" if inline_runs else "T")


SECRETS = """<!doctype html><html><head><title>Sign in</title></head><body>
<form id=f><input id=open name=city><input id=pass type=password name=pw1><button type=button id=show>Show</button>
<input id=code autocomplete=one-time-code><textarea id=card name=card_number></textarea><input id=set name=api_key>
<input id=pasted type=password><input type=hidden name=token value="Canary-hidden-1"></form>
<div id=free contenteditable aria-label=Password></div><p id=echo></p><a id=link href="#">x</a><div id=later></div><div id=host></div>
<iframe id=in srcdoc="<input id=framed type=password><p id=told></p>"></iframe>
<script>
const say = (text) => { echo.textContent = 'You typed ' + text; echo.dataset.copy = text; link.href = '/?q=' + encodeURIComponent(text);
  document.title = text; echo.setAttribute('title', btoa(text)); };
pass.oninput = () => { say(pass.value); pass.setAttribute('value', pass.value); };
code.oninput = () => say(code.value);
card.oninput = () => { say(card.value); card.textContent = card.value; };
show.onclick = () => { pass.type = pass.type === 'password' ? 'text' : 'password'; };
const shadow = host.attachShadow({mode: 'open'});
shadow.innerHTML = '<input id=shaded type=password><i></i>';
shadow.firstChild.oninput = (e) => { shadow.lastChild.textContent = e.target.value; };
const byScript = () => { set.value = 'Canary script/6'; say(set.value); };
const add = () => {
  later.innerHTML = '<input type=password id=late value="Canary-late-7"><input type=password id=flip value="Canary-flip-8">';
  flip.type = 'text';
};
</script></body></html>"""


def test_no_secret_is_in_a_capture(live: Live, site: ToySite, recording: Recording, page: Page) -> None:
    site.answer("/page.html", SECRETS)
    open_and_wait(recording, page)
    page.type("#open", "Seen in the open")
    page.type("#pass", "Canary&typed<2")
    page.click("#show")
    page.type("#pass", "more")
    page.fill("#pass", "")  # what was there before is a secret still
    page.evaluate("echo.textContent = 'It was Canary&typed<2more'")
    page.type("#code", "Canary3")
    page.type("#card", "Canary 4111 1111 4")
    page.type("#free", "Canary in the free 11")
    page.focus("#pasted")
    page.keyboard.insert_text("Canary-pasted-5")
    page.evaluate("byScript()")
    page.evaluate("add()")
    page.frame_locator("#in").locator("#framed").press_sequentially("Canary-framed-9")
    page.locator("#host").locator("#shaded").press_sequentially("Canary-shadow-10")
    page.click("#show")
    page.click("#show")
    page.evaluate("document.body.dataset.said = 'all of it'")
    wait(page, lambda: '"flip"' in text_of(recording) and "all of it" in text_of(recording))  # last words are short
    page.goto("about:blank")
    wait_whole(page, recording)
    text = text_of(recording)
    assert "Seen in the open" in text
    assert "You typed •••" in text
    assert [line[:300] for line in text.split("\n") if "anary" in line] == []
    assert base64.b64encode(b"Canary&typed<2more").decode() not in text


def test_a_page_sees_nothing_of_a_capture(live: Live, site: ToySite, recording: Recording, page: Page) -> None:
    site.answer(
        "/page.html",
        PAGE.replace("<title>", "<script>const natives = " + NATIVES + ", before = natives();</script><title>"),
    )
    open_and_wait(recording, page)
    page.click("#go")
    page.wait_for_timeout(2500)
    assert page.evaluate("JSON.stringify(natives()) === JSON.stringify(before)")
    assert page.evaluate("document.scripts.length") == 1
    assert page.evaluate("[Object.keys(document.body), Object.keys(document.querySelector('#go'))]") == [[], []]
    assert "rrweb" not in page.evaluate("Object.getOwnPropertyNames(window).join()")


NATIVES = """() => [['CSSStyleSheet', 'insertRule'], ['CSSStyleSheet', 'deleteRule'], ['CSSStyleDeclaration', 'setProperty'],
  ['HTMLInputElement', 'value'], ['HTMLInputElement', 'checked'], ['HTMLSelectElement', 'value'], ['HTMLTextAreaElement', 'value'],
  ['HTMLElement', 'attachShadow'], ['Element', 'attachShadow']].map(([type, name]) => {
    const found = Object.getOwnPropertyDescriptor(window[type].prototype, name) || {};
    return [type, name, String(found.value), String(found.set)];
  })"""


def test_what_changes_without_an_event_is_seen(live: Live, site: ToySite, recording: Recording, page: Page) -> None:
    site.answer("/dot.png", PNG, kind="image/png", Cache_Control="max-age=600")
    site.answer("/late.css", "#go { color: rgb(1, 2, 3) }", kind="text/css")
    site.answer(
        "/page.html",
        "<!doctype html><style id=s></style><img id=dot src=/dot.png><input id=a>" + BODY,
    )
    open_and_wait(recording, page)
    page.evaluate("a.value = 'by script'; s.sheet.insertRule('body { margin: 7px }')")
    page.evaluate(
        "document.head.append(Object.assign(document.createElement('link'), {rel: 'stylesheet', href: '/late.css'}))"
    )
    wait(
        page,
        lambda: all(
            word in text_of(recording) for word in ("by script", "margin: 7px", "rgb(1, 2, 3)", "image/png;base64")
        ),
    )
    assert len([one for one in site.asked if one.target == "/dot.png"]) == 1  # the picture was not asked for again


def test_a_fault_stays_in_the_capture_and_is_told(live: Live, site: ToySite, recording: Recording, page: Page) -> None:
    breaking = "<script>Array.from = Element.prototype.getAttribute = () => { throw Error('mine') }</script>"
    site.answer("/page.html", PAGE.replace("<title>", breaking + "<title>"))
    check(live, recording, page)
    (one,) = wait(page, lambda: pages_of(recording))
    assert "the capture said: mine" in one.missing


def test_a_policy_in_a_meta_element_ends_it_at_once(
    live: Live, site: ToySite, recording: Recording, page: Page
) -> None:
    meta = "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; script-src 'unsafe-inline'\">"
    told = "<script>told = []; addEventListener('securitypolicyviolation', (e) => told.push(e.blockedURI))</script>"
    site.answer("/page.html", PAGE.replace("<title>", meta + told + "<title>"))
    check(live, recording, page)
    page.wait_for_timeout(4000)
    assert len(page.evaluate("told.filter((url) => url.endsWith('/capture'))")) == 1
    assert pages_of(recording) == []


def test_each_page_load_is_a_page_of_its_own_and_frames_are_none(
    live: Live, site: ToySite, recording: Recording, page: Page
) -> None:
    site.answer("/in.html", "<!doctype html><p>In the frame</p>")
    site.answer("/page.html", PAGE + "<iframe src=/in.html></iframe>")
    open_and_wait(recording, page)
    page.reload()
    wait(page, lambda: len(pages_of(recording)) == 2 and pages_of(recording)[1].events > 2)
    page.goto("about:blank")
    wait_whole(page, recording)
    finish(recording)
    found = pages_of(recording)
    assert [(one.tab, one.missing) for one in found] == [(1, ""), (1, "")]
    assert found[0].last <= found[1].first
    assert text_of(recording).count("In the frame") == 2


def test_without_the_option_not_a_byte_more_is_served(
    live: Live, site: ToySite, page: Page, transactional_db: Any
) -> None:
    site.answer("/page.html", PAGE)
    plain = recordings.open_recording(session=Session("s1", site.origin, "/page.html", "Toy", None), adapter="static")
    page.goto(recordings.recording_url(plain))
    served = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
    assert [name for name in served if "/__footpath__/c" in name] == []
    for path in (script.script().path, script.CAPTURE):
        assert page.evaluate("path => fetch(path).then((reply) => reply.status)", path) == 404


def test_odd_documents_are_captured_too(live: Live, site: ToySite, recording: Recording, page: Page) -> None:
    site.answer("/page.html", XHTML, kind="application/xhtml+xml")
    open_and_wait(recording, page)
    assert recordings.proof(recording).blind == []


@pytest.mark.parametrize("via", WAYS)
def test_a_page_recorded_outside_any_study(
    site: ToySite, chromium: Browser, transactional_db: Any, tmp_path: Path, via: str
) -> None:
    site.answer("/page.html", '<!doctype html><input id=a><input type=password id=p><a id=on href="/two.html">on</a>')
    site.answer("/two.html", "<!doctype html><p id=two>The second page</p>")
    typed = [
        {"do": "click", "at": "#p"},
        {"do": "type", "text": "Canary1"},
        {"do": "click", "at": "#a"},
        {"do": "type", "text": "Ada"},
    ]
    actions = [*typed, {"do": "click", "at": "#on"}, {"do": "wait_for", "css": "#two"}]
    out = tmp_path / "capture.jsonl"
    with Desk() as desk:
        trace = Take(chromium, desk, read_address(site.origin + "/page.html"), actions, None, out).by(via)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert trace["proof"]["complete"]
    assert list(dict.fromkeys(line["doc"] for line in lines)) == [document["doc"] for document in trace["documents"]]
    assert "anary" not in out.read_text()
    assert all(word in out.read_text() for word in ("Ada", "The second page"))
