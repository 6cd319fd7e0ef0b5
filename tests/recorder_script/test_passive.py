"""A page's own log of everything it can see is the same with and without the recorder."""

from __future__ import annotations

import difflib
import json
from typing import Any

import pytest
from playwright.sync_api import Page

from recorder.gateway.script import minified
from tests.recorder_script import toy as toys
from tests.recorder_script.conftest import Wait
from tests.recorder_script.toy import Toy

HTML = """<!doctype html><html><head><title>log</title><script>
const log = [], counts = {random: 0, timer: 0, then: 0, fetch: 0, listener: 0, errors: 0};
const random = Math.random; Math.random = () => { counts.random++; return 0.5; };
const timer = setTimeout; window.setTimeout = (...a) => { counts.timer++; return timer(...a); };
const interval = setInterval; window.setInterval = (...a) => { counts.timer++; return interval(...a); };
const then = Promise.prototype.then; Promise.prototype.then = function (...a) { counts.then++; return then.apply(this, a); };
const get = window.fetch; window.fetch = (...a) => { counts.fetch++; return get(...a); };
const add = EventTarget.prototype.addEventListener;
EventTarget.prototype.addEventListener = function (...a) { counts.listener++; return add.apply(this, a); };
window.onerror = () => { counts.errors++; };
for (const type of ['pointerdown','mousedown','pointerup','mouseup','click','dblclick','keydown','keyup','beforeinput','input',
  'change','focus','blur','focusin','focusout','submit','scroll','select','contextmenu','dragstart','copy','paste'])
  for (const capture of [true, false])
    add.call(window, type, e => log.push([type, capture, e.isTrusted, e.defaultPrevented, e.cancelable,
      e.target.id || e.target.nodeName || 'window']), capture);
new MutationObserver(list => list.forEach(m => log.push(['mutation', m.type, m.attributeName, m.target.id || m.target.nodeName])))
  .observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
window.report = () => JSON.stringify({
  log, counts, html: document.documentElement.outerHTML, globals: Object.getOwnPropertyNames(window).sort(),
  storage: [localStorage.length, sessionStorage.length, document.cookie, window.name, JSON.stringify(history.state), history.length],
  natives: ['alert', 'confirm', 'prompt', 'open', 'Worker'].map(n => Function.prototype.toString.call(window[n]).replace(n, '')),
  shapes: ['alert', 'confirm', 'prompt'].map(n => [Object.getOwnPropertyDescriptor(window, n).writable,
    window[n].name, window[n].length]),
  pushState: Object.getOwnPropertyNames(history).length, scripts: document.scripts.length, active: document.activeElement.id,
});
</script></head><body style="height:3000px"><form id=f onsubmit="event.preventDefault()"><input id=a>
<label id=l><input type=checkbox id=c> yes</label>
<select id=s><option>one<option>two</select><button id=b>Go</button></form><div id=e contenteditable>text</div>
<a id=h href="#x">hash</a><button id=m type=button
onclick="this.id='m2';history.pushState({a:1},'','?p')">Push</button></body></html>"""


def use(page: Page) -> dict[str, Any]:
    for selector in ("#a", "#c", "#l", "#h", "#m", "#e"):
        page.locator(selector).first.click()
    page.locator("#a").click()
    page.keyboard.type("hi there")
    page.keyboard.press("Control+a")
    page.keyboard.press("Enter")
    page.locator("#s").select_option("two")
    page.locator("#e").dblclick()
    page.keyboard.type("x")
    page.mouse.move(300, 300)
    page.locator("#b").click(button="right")
    page.wait_for_timeout(1500)
    found: dict[str, Any] = json.loads(page.evaluate("report()"))
    return found


# Events and mutations are compared apart: a microtask that the browser's own edit queued runs after the first listener of the
# event that follows, which is the recorder's where there is one. No listener can help that.
def difference(one: list[Any], other: list[Any]) -> list[str]:
    lines = [[json.dumps(entry) for entry in log] for log in (one, other)]
    return list(difflib.unified_diff(*lines, lineterm="", n=1))


def test_a_page_sees_no_difference(toy: Toy, page: Page, wait: Wait) -> None:
    toy.pages = {"/p": HTML, "/q": HTML}
    toy.inject = False
    page.goto(toy.url + "/p")
    without = use(page)
    toy.inject = True
    fresh = page.context.browser.new_context(viewport={"width": 1280, "height": 720}).new_page()  # type: ignore[union-attr]
    fresh.goto(toy.url + "/p")
    with_recorder = use(fresh)
    fresh.context.close()
    wait(lambda: toy.of("click"))  # the recorder was there
    assert toy.of("blind") == []
    for mutations in (False, True):
        logs = [
            [entry for entry in found["log"] if (entry[0] == "mutation") == mutations]
            for found in (with_recorder, without)
        ]
        assert "\n".join(difference(*logs)) == ""
    del with_recorder["log"], without["log"]
    assert with_recorder == without


def test_a_fault_of_the_recorder_stays_in_it(toy: Toy, page: Page, wait: Wait) -> None:
    toy.pages = {"/p": "<html><head></head><body><button id=b>Go</button><script>"
                       "Element.prototype.getAttribute=()=>{throw Error('mine')};Object.prototype.toJSON=()=>'broken';"
                       "Array.prototype.toJSON=()=>'broken';Array.prototype[Symbol.iterator]=null;"
                       "String.prototype.trim=()=>{throw 1};</script></body></html>"}  # fmt: skip
    page.goto(toy.url + "/p")
    page.mouse.click(20, 20)
    wait(lambda: toy.of("click"))
    assert page.errors == []  # type: ignore[attr-defined]
    assert toy.of("click")[0]["target"]["name"] == "Go"


def test_what_a_page_adds_to_numbers_is_in_no_event(
    toy: Toy, page: Page, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The minifier writes `0[0]` for `undefined`, which a page can give a value: the script is tried as it is served."""
    as_written = toys.joined
    monkeypatch.setattr(toys, "joined", lambda *, worker, boot="": minified(as_written(worker=worker, boot=boot)))
    toy.pages = {"/p": "<html><head></head><body><p id=p>Text</p><script>"
                       "Object.prototype[0]='spoiled'</script></body></html>"}  # fmt: skip
    page.goto(toy.url + "/p")
    page.mouse.click(20, 20)
    wait(lambda: toy.of("click"))
    assert "spoiled" not in json.dumps(toy.of("click"))
