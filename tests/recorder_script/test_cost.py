"""Work that does not grow: with the size of a page, or with how often it changes. Counted, not timed.

How many elements a locator finds is asked of the browser at a press: one call, however many it finds.
"""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.recorder_script.conftest import Wait
from tests.recorder_script.toy import Toy

# Before the recorder saves them: every way of its to look at a page counts itself.
COUNTED = """(() => {
  let calls = 0;
  const counting = (owner, name, kind) => {
    const descriptor = Object.getOwnPropertyDescriptor(owner, name);
    const native = descriptor[kind];
    descriptor[kind] = function (...args) {
      calls++;
      return native.apply(this, args);
    };
    Object.defineProperty(owner, name, descriptor);
  };
  for (const type of [Document, Element, DocumentFragment]) counting(type.prototype, "querySelectorAll", "value");
  const { prototype: element } = Element;
  const asked = ["getAttribute", "matches", "closest", "getBoundingClientRect", "checkVisibility"];
  for (const name of asked) counting(element, name, "value");
  for (const name of ["previousElementSibling", "nextElementSibling", "tagName"]) counting(element, name, "get");
  for (const name of ["parentNode", "parentElement", "firstChild", "nextSibling", "nodeType"]) counting(Node.prototype, name, "get");
  counting(window, "getComputedStyle", "value");
  window.looks = () => calls;
})()"""

TABLE = """<button id=g>Sort</button> <input id=i aria-label=Search>
<div id=o style="height:60px;overflow:auto"><p style="height:900px">Long</p></div>
<table><tbody id=t></tbody></table><script>
const rebuild = () => {
  let html = "";
  for (let i = 0; i < ROWS; i++) html += `<tr class=row><td>${i}</td><td><button>Delete</button></td></tr>`;
  t.innerHTML = html;
};
g.onclick = rebuild;
rebuild();
</script>"""

CHANGING = """<p id=p></p><button id=b>Go</button><script>
let changes = 0;
const tick = () => {
  for (let i = 0; i < 15; i++) { p.append(new Text("x")); p.className = "c" + i; changes++; }
  requestAnimationFrame(tick);
};
</script>"""


@pytest.fixture
def counted(chromium: Browser) -> Any:
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    context.add_init_script(COUNTED)
    yield context.new_page()
    context.close()


def looks_for(page: Page, toy: Toy, wait: Wait, rows: int) -> int:
    """How often the recorder looked at a page of so many rows while it was used in one and the same way."""
    toy.lines.clear()
    toy.pages = {
        f"/{rows}": f"<!doctype html><html><head></head><body>{TABLE.replace('ROWS', str(rows))}</body></html>"
    }
    page.goto(f"{toy.url}/{rows}")
    wait(lambda: toy.of("navigate"))
    before = page.evaluate("looks()")
    for _ in range(3):
        page.click("#g")
    page.click("#i")
    page.keyboard.type("rope")
    page.hover("#o")
    page.mouse.wheel(0, 200)
    wait(lambda: len(toy.of("click")) == 4 and toy.of("scroll") and len(toy.of("keydown")) == 4)
    return int(page.evaluate("looks()")) - before


def test_nothing_grows_with_the_rows_of_a_table(counted: Page, toy: Toy, wait: Wait) -> None:
    few, many = [looks_for(counted, toy, wait, rows) for rows in (200, 10_000)]
    assert few > 100  # it did look
    assert many < few * 1.2, (few, many)


def test_changes_of_a_page_cost_nothing(counted: Page, toy: Toy, wait: Wait) -> None:
    toy.pages = {"/p": f"<!doctype html><html><head></head><body>{CHANGING}</body></html>"}
    counted.goto(toy.url + "/p")
    counted.click("#b")
    wait(lambda: toy.of("click"))
    counted.evaluate("requestAnimationFrame(tick)")
    before = counted.evaluate("looks()")
    wait(lambda: counted.evaluate("changes") > 3000)
    assert counted.evaluate("looks()") - before < 300
