"""What other recorders lose: quick leaving, odd keyboards, native controls, editors, tabs, scroll positions, long backlogs."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from playwright.sync_api import Error, Page

from tests.recorder_script.conftest import Wait
from tests.recorder_script.toy import Toy


def test_text_typed_and_enter_at_once(shown: Any, page: Page, events: Any) -> None:
    shown("<form action=/q><input id=t name=q></form>", q="<p>found</p>")
    page.locator("#t").focus()
    page.keyboard.type("abc")
    page.keyboard.press("Enter")
    page.wait_for_url("**/q?**")
    assert [event["value"] for event in events("input", least=3)] == ["a", "ab", "abc"]
    assert [event["key"] for event in events("keydown", least=4)] == ["a", "b", "c", "Enter"]
    assert events("submit")[0]["by"] == "keyboard"


def test_a_page_that_leaves_in_its_own_input_handler(shown: Any, page: Page, events: Any) -> None:
    shown("<input id=t oninput=\"if (this.value.length == 2) location = '/q'\">", q="<p>there</p>")
    page.locator("#t").focus()
    page.keyboard.type("xy")
    page.wait_for_url("**/q")
    assert [event["value"] for event in events("input", least=2)] == ["x", "xy"]


def test_a_page_that_swallows_clicks(shown: Any, page: Page, events: Any) -> None:
    shown("<button id=b>Go</button><script>for (const t of ['pointerdown','mousedown','mouseup','click'])"
          "addEventListener(t, e => { e.stopImmediatePropagation(); e.preventDefault(); }, true)</script>")  # fmt: skip
    page.locator("#b").click()
    assert [event["target"]["css"] for event in events("click")] == ["#b"]


def test_dead_keys_altgr_and_dictation(shown: Any, page: Page, events: Any, wait: Wait, toy: Toy) -> None:
    shown("<input id=t>")
    page.locator("#t").focus()
    keys = page.context.new_cdp_session(page)
    keys.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", "key": "Dead", "code": "BracketLeft"})
    keys.send("Input.dispatchKeyEvent", {"type": "keyDown", "key": "é", "code": "KeyE", "text": "é"})
    keys.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", "key": "AltGraph", "code": "AltRight"})
    keys.send("Input.dispatchKeyEvent", {"type": "keyDown", "key": "@", "code": "KeyQ", "text": "@"})
    keys.send("Input.insertText", {"text": " dictated words"})
    wait(lambda: any(event["value"] == "é@ dictated words" for event in toy.of("input")))
    assert [event["key"] for event in events("keydown", least=4)] == ["Dead", "é", "AltGraph", "@"]


@pytest.mark.parametrize(
    ("kind", "keys", "value"),
    [("date", "03152026", "2026-03-15"), ("time", "0935AM", "09:35"), ("number", "42", "42"), ("month", "March", None)],
)
def test_inputs_with_fields_of_their_own(
    shown: Any, page: Page, events: Any, wait: Wait, toy: Toy, kind: str, keys: str, value: str | None
) -> None:
    shown(f"<input id=t type={kind} aria-label=When><button id=b>b</button>")
    page.locator("#t").focus()
    page.keyboard.type(keys)
    shows = page.locator("#t").input_value()
    assert value is None or shows == value
    page.locator("#b").click()
    events("click")
    if value is not None:
        wait(lambda: shows in [event["value"] for event in toy.of("input", "change")])
    assert len(toy.of("keydown")) == len(keys)


def test_colour_and_range(shown: Any, page: Page, events: Any) -> None:
    shown("<input id=c type=color aria-label=Colour><input id=r type=range min=0 max=10 value=5 aria-label=Volume>")
    page.locator("#r").focus()
    page.keyboard.press("ArrowRight")
    (moved,) = events("change")
    assert (moved["value"], moved["target"]["name"], moved["by"]) == ("6", "Volume", "keyboard")
    page.locator("#c").click()
    assert events("click")[-1]["opens"] == "color"
    assert [(event["reason"], event["detail"]) for event in events("blind")] == [("native picker", "color")]


def test_pickers_that_the_browser_draws_are_blind_spots_once(shown: Any, page: Page, events: Any, toy: Toy) -> None:
    shown("<select id=s aria-label=Size><option>S<option>L</select><input id=d type=date><p id=p>text</p>")
    for _ in range(2):
        page.locator("#s").click()
        page.keyboard.press("Escape")
    page.locator("#p").click()
    page.locator("#d").focus()
    page.keyboard.press("F4")
    events("blind", least=2)
    assert [(event["detail"], event["target"]["css"]) for event in toy.of("blind")] == [
        ("select", "#s"),
        ("date", "#d"),
    ]


def test_space_on_a_box_and_on_a_button(shown: Any, page: Page, events: Any) -> None:
    shown("<input id=c type=checkbox aria-label=Yes><button id=b>Go</button>")
    page.locator("#c").focus()
    page.keyboard.press("Space")
    page.locator("#b").focus()
    page.keyboard.press("Space")
    clicks = events("click", least=2)
    assert [(event["by"], event["origin"], event["target"]["css"]) for event in clicks] == [
        ("keyboard", "user", "#c"),
        ("keyboard", "user", "#b"),
    ]
    assert events("change")[0]["checked"] is True


RICH = """<div id=e contenteditable></div><script>
const model = [];
const show = () => { e.textContent = model.join(''); getSelection().collapse(e, e.childNodes.length); };
e.addEventListener('beforeinput', (b) => { b.preventDefault(); model.push(b.data); %s });
</script>"""


@pytest.mark.parametrize(
    "when", ["show()", "queueMicrotask(show)", "requestAnimationFrame(show)", "setTimeout(show, 30)"]
)
def test_editors_that_keep_a_model_of_their_own_have_their_last_character(
    shown: Any, page: Page, wait: Wait, toy: Toy, when: str
) -> None:
    shown(RICH % when)
    page.locator("#e").click()
    page.keyboard.type("abc", delay=40)
    wait(lambda: toy.of("input") and toy.of("input")[-1]["value"] == "abc")
    assert toy.of("input")[-1]["target"]["editable"] == "block"


def test_editors_on_edit_context(shown: Any, page: Page, wait: Wait, toy: Toy, events: Any) -> None:
    shown("<div id=e tabindex=0 style='width:300px;height:40px'></div><script>"
          "const context = e.editContext = new EditContext();"
          "context.addEventListener('textupdate', () => { e.textContent = context.text; });</script>")  # fmt: skip
    page.locator("#e").click()
    page.keyboard.type("let x", delay=40)
    wait(lambda: toy.of("input") and toy.of("input")[-1]["value"] == "let x")
    assert toy.of("input")[0]["before"] == ""
    assert len(events("keydown", least=5)) == 5
    assert toy.of("input")[-1]["target"]["editable"] == "block"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("<div id=s style='height:60px;overflow:auto'><p style='height:900px'>x</div><script>s.scrollTop = 300</script>", ("#s", 300)),
        ("<div style='height:5000px'></div><script>scrollTo(0, 700)</script>", ("html", 700)),
    ],
    ids=["container", "page"],
)  # fmt: skip
def test_what_was_scrolled_before(
    shown: Any, page: Page, toy: Toy, wait: Wait, body: str, found: tuple[str, int]
) -> None:
    shown(body)
    wait(
        lambda: any(
            [(each["target"]["css"], each["top"]) for each in entry.get("meta", {}).get("scroll", [])] == [found]
            for post in toy.posts
            for entry in post["docs"]
        )
    )


def test_more_than_a_farewell_can_carry(shown: Any, page: Page, toy: Toy, wait: Wait) -> None:
    shown("<textarea id=t></textarea><a id=n href=/q>next</a>", q="<p>next</p>")
    wait(lambda: toy.posts)
    toy.fail = [503] * 1000
    page.locator("#t").focus()
    page.evaluate("t.value = 'x'.repeat(3000)")
    page.keyboard.type("0123456789" * 6)  # 60 values of 3 kB, before and after: far over 64 KiB
    page.locator("#n").click()
    page.wait_for_url("**/q")
    toy.fail = []
    wait(lambda: len(toy.of("input")) == 60, 60)  # by the next page, which first waits for the server to take anything
    assert [event["data"] for event in toy.of("input")] == list("0123456789" * 6)
    assert sum(len(event["value"]) for event in toy.of("input")) > 64 * 1024


def test_a_base_of_the_pages_own_does_not_lead_its_farewell_elsewhere(
    shown: Any, page: Page, toy: Toy, wait: Wait
) -> None:
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    shown("<head><base href='http://elsewhere.invalid/dir/'></head><button id=b>b</button>")
    wait(lambda: len(toy.posts) > 1)
    page.locator("#b").click()
    page.close(run_before_unload=True)  # before the worker sends what it has
    wait(lambda: any(post.get("final") for post in toy.posts))
    assert len(toy.of("click")) == 1
    assert not [url for url in asked if "elsewhere" in url]


def test_a_gesture_is_recorded_to_its_end_though_closing_has_begun(
    shown: Any, page: Page, toy: Toy, wait: Wait
) -> None:
    shown("<div id=h role=slider style='width:30px;height:30px;background:red'></div><div style='height:200px'></div>")
    wait(lambda: toy.posts)
    page.mouse.move(20, 20)
    page.mouse.down()
    page.mouse.move(60, 20, steps=3)
    toy.state = "closing"
    posts = len(toy.posts)
    wait(lambda: len(toy.posts) > posts + 1)
    page.mouse.move(150, 20, steps=3)
    page.mouse.up()
    (drag,) = wait(lambda: toy.of("drag"))
    assert drag["path"][-1][:2] == [150, 20]


def test_new_tabs_that_a_page_opens(shown: Any, page: Page, toy: Toy, wait: Wait) -> None:
    shown(
        "<a id=a href=/q target=_blank>new</a><button id=b onclick=\"window.open('/r')\">open</button>",
        q="<p>q</p>",
        r="<p>r</p>",
    )
    for selector in ("#a", "#b"):
        with page.context.expect_page() as opened:
            page.locator(selector).click()
        opened.value.wait_for_load_state()
    wait(lambda: len(toy.of("tab")) == 3)
    assert {event["action"] for event in toy.of("tab")} == {"open"}
    keys = {
        entry["doc"]: frozenset(entry["tab"]["keys"]) for post in toy.posts for entry in post["docs"] if "tab" in entry
    }
    assert len(set(keys.values())) == 3


def test_a_tab_that_a_script_closes(shown: Any, page: Page, toy: Toy, wait: Wait) -> None:
    shown(
        "<button id=b onclick=\"window.open('/q')\">open</button>",
        q="<button id=c onclick='window.close()'>close</button>",
    )
    with page.context.expect_page() as opened:
        page.locator("#b").click()
    with contextlib.suppress(Error):  # the tab closes under the hand
        opened.value.locator("#c").click()
    (closed,) = wait(lambda: [event for event in toy.of("tab") if event["action"] == "close"])
    assert closed["origin"] == "page"


LONG = {
    "title": "document.title = '€'.repeat(70000)",
    "hash": "history.replaceState(0, '', '#' + 'y'.repeat(66000))",
    "scroll": """let at = d;
      for (let i = 0; i < 120; i++) at = at.appendChild(document.createElement('a-part-of-a-page-with-a-long-name'));
      for (let i = 0; i < 20; i++) {
        at.insertAdjacentHTML('beforeend', `<div style='height:20px;overflow:auto'><p style='height:200px'>x</p></div>`);
        at.lastChild.scrollTop = 5;
      }""",
}


@pytest.mark.parametrize("what", LONG)
def test_a_header_that_could_fill_the_farewell_alone(shown: Any, page: Page, toy: Toy, wait: Wait, what: str) -> None:
    shown(f"<button id=b>b</button><div id=d></div><script>{LONG[what]}</script>")
    wait(lambda: len(toy.posts) > 1)
    page.locator("#b").click()
    page.close(run_before_unload=True)  # before the worker sends what it has
    (farewell,) = wait(lambda: [post for post in toy.posts if post.get("final")])
    assert len(toy.of("click")) == 1
    meta = farewell["docs"][0]["meta"]
    assert len(meta["title"]) <= 1000
    assert len(meta["url"]) <= 4000
