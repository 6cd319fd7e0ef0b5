"""What other recorders get wrong: order, modifiers, origins, whose value it is, which move mattered, sizes."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tests.recorder_script.conftest import Wait
from tests.recorder_script.toy import Toy


def test_enter_on_a_button_is_one_gesture(shown: Any, page: Page, events: Any) -> None:
    shown("<button id=b>Go</button>")
    page.locator("#b").focus()
    page.keyboard.press("Enter")
    (key,), (click,) = events("keydown"), events("click")
    assert (click["by"], click["origin"], click["gesture"]) == ("keyboard", "user", key["gesture"])


def test_enter_that_sends_is_no_line_break(shown: Any, page: Page, events: Any) -> None:
    shown(
        "<textarea id=t onkeydown=\"if (event.key == 'Enter') { event.preventDefault(); this.value = ''; }\"></textarea>"
    )
    page.locator("#t").click()
    page.keyboard.type("hi")
    page.keyboard.press("Enter")
    values = [event["value"] for event in events("input", least=3)]
    assert values == ["h", "hi", ""]
    assert "insertLineBreak" not in {event.get("inputType") for event in events("input")}


def test_an_input_method_floods_nothing(shown: Any, page: Page, events: Any) -> None:
    shown("<input id=t>")
    page.locator("#t").focus()
    ime = page.context.new_cdp_session(page)
    for text in ("n", "ni", "nih"):
        ime.send("Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)})
    ime.send("Input.insertText", {"text": "日"})
    inputs = events("input", least=4)
    assert inputs[-1]["value"] == "日"
    assert [event["phase"] for event in events("composition")][:2] == ["start", "update"]
    assert events("composition")[-1]["phase"] == "end"


def test_two_fields_alike_have_their_own_values(shown: Any, page: Page, events: Any) -> None:
    shown("<div><input class=f></div><div><input class=f></div>")
    for place, text in ((0, "a"), (1, "b"), (0, "c")):
        page.locator("input").nth(place).click()
        page.keyboard.type(text)
    found = [(event["target"]["xpath"], event["before"], event["value"]) for event in events("input", least=3)]
    first, second = "/html/body/div[1]/input", "/html/body/div[2]/input"
    assert found[:2] == [(first, "", "a"), (second, "", "b")]
    assert found[2][0] == first
    assert set(found[2][2]) == {"a", "c"}


def test_order_and_modifiers_are_as_they_happened(shown: Any, page: Page, events: Any, toy: Toy, wait: Wait) -> None:
    shown(
        "<style>div{height:4000px} #t,#b{position:fixed;top:10px} #b{top:60px}</style>"
        "<div><input id=t><button id=b>b</button></div>"
    )
    page.locator("#t").click()
    page.keyboard.type("hi")
    page.mouse.wheel(0, 300)
    wait(lambda: page.evaluate("scrollY") == 300)
    page.locator("#b").click()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("F2")
    wait(lambda: any(event["key"] == "F2" for event in toy.of("keydown")))
    main = [
        event["type"] + ":" + (event.get("key") or event["target"]["css"])
        for event in events("click", "keydown", "input", "scroll")
    ]
    merged = [name for at, name in enumerate(main) if name != main[at - 1]]
    assert merged == ["click:#t", "keydown:h", "input:#t", "keydown:i", "input:#t", "scroll:html", "click:#b",
                      "keydown:Shift", "keydown:Tab", "keydown:F2"]  # fmt: skip
    tab = next(event for event in toy.of("keydown") if event["key"] == "Tab")
    assert tab["modifiers"] == ["Shift"]
    times = [event["p"] for event in toy.events]
    assert times == sorted(times)


def test_only_moves_that_did_something_say_so(shown: Any, page: Page, events: Any, toy: Toy, wait: Wait) -> None:
    shown("<p id=p style='margin-top:100px'>Some words to select</p><input id=f style='position:fixed;top:10px;left:10px' "
          "onmouseover='this.focus()'>"
          "<i id=c style='position:fixed;top:10px;left:400px' onmouseover='this.click()'>click me</i>")  # fmt: skip
    box = page.locator("#p").bounding_box()
    assert box
    page.mouse.move(5, box["y"] + 10)
    page.wait_for_timeout(400)
    for selector, kind in (("#f", "focus"), ("#c", "click")):
        page.locator(selector).hover()
        wait(lambda kind=kind: kind in [event.get("effect") for event in toy.of("mousemove")])
        page.mouse.move(300, 300)
        page.wait_for_timeout(400)
    page.mouse.move(10, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(90, box["y"] + 10, steps=10)
    page.wait_for_timeout(100)
    page.mouse.up()
    (drag,) = events("drag")
    assert drag["how"] == "selection"
    effects = [(event["effect"], event["target"]["css"]) for event in toy.of("mousemove") if "effect" in event]
    assert effects == [("focus", "#f"), ("click", "#c"), ("selection", "#p")]
    assert len(toy.of("mousemove")) > 4


def test_the_pages_own_stand_ins_are_left_as_they_are(shown: Any, page: Page, events: Any) -> None:
    shown("<script>const native = alert; window.alert = (text) => { document.title = text; };"
          "const push = history.pushState; history.pushState = function (...a) { document.title += '!'; return push.apply(this, a); };"
          "</script><button id=b onclick=\"alert('mine'); history.pushState(0, '', '?a');"
          "window.alert = native\">b</button>")  # fmt: skip
    page.locator("#b").click()
    assert page.title() == "mine!"
    assert [event["how"] for event in events("navigate", least=2)] == ["load", "push"]


def test_sizes_are_told_and_follow_a_resize(shown: Any, page: Page, toy: Toy, events: Any) -> None:
    shown("<p>text</p>")
    events("navigate")
    page.set_viewport_size({"width": 900, "height": 500})
    assert events("resize")[-1]["viewport"] == [900, 500]
    metas = [entry["meta"] for post in toy.posts for entry in post["docs"] if "meta" in entry]
    assert (metas[0]["viewport"], metas[0]["dpr"], metas[0]["zoom"]) == ([1280, 720], 1, 1)


def test_built_ins_that_give_what_no_worker_can_be_handed(shown: Any, page: Page, toy: Toy, events: Any) -> None:
    shown(
        "<button id=b>b</button><script>"
        "Object.defineProperty(Navigator.prototype, 'userAgent', {get: () => () => 1});"
        "Object.defineProperty(File.prototype, 'name', {get: () => () => 1});"
        "Object.defineProperty(window, 'innerWidth', {value: () => 1});</script><input id=f type=file>"
    )
    page.set_input_files("#f", [{"name": "a.txt", "mimeType": "text/plain", "buffer": b"a"}])
    page.set_viewport_size({"width": 900, "height": 500})
    page.locator("#b").click()
    events("click")
    assert [event["n"] for event in toy.events] == list(range(len(toy.events)))
    assert {"change", "resize"} <= {event["type"] for event in toy.events}
    assert page.errors == []  # type: ignore[attr-defined]


def test_a_dense_screen(chromium: Any, toy: Toy) -> None:
    toy.pages = {"/p": "<html><head></head><body><button id=b>b</button></body></html>"}
    context = chromium.new_context(viewport={"width": 640, "height": 360}, device_scale_factor=2)
    page = context.new_page()
    page.goto(toy.url + "/p")
    page.locator("#b").click()
    page.wait_for_function("performance.now() > 1500")
    while not toy.of("click"):
        page.wait_for_timeout(50)
    context.close()
    metas = [entry["meta"] for post in toy.posts for entry in post["docs"] if "meta" in entry]
    assert (metas[0]["dpr"], metas[0]["viewport"]) == (2, [640, 360])
    (x, y, width, height) = toy.of("click")[0]["target"]["box"]
    assert 0 < x < 20
    assert width < 60


def test_true_times_whatever_the_page_makes_of_its_clocks(shown: Any, page: Page, events: Any) -> None:
    shown("<button id=b>b</button><script>"
          "Date.now = () => 0; performance.now = () => 5; Performance.prototype.now = () => 5;"
          "Object.defineProperty(Event.prototype, 'timeStamp', {get: () => 7});</script>")  # fmt: skip
    page.locator("#b").click()
    page.wait_for_timeout(500)
    page.locator("#b").click()
    first, second = events("click", least=2)
    assert second["p"] - first["p"] >= 490


def test_tokens_in_addresses_attributes_and_hidden_fields(shown: Any, page: Page, toy: Toy, events: Any) -> None:
    shown("<form action=/q><input type=hidden name=csrf_token value=HIDDEN77><input name=card_number autocomplete=cc-number id=c>"
          "<a id=a href='/q?api_key=URLKEY88'>go</a></form>", q="<p>q</p>")  # fmt: skip
    page.locator("#c").click()
    page.keyboard.type("4111111111111111")
    page.locator("#a").click()
    page.wait_for_url("**/q?**")
    events("navigate", least=2)
    page.wait_for_timeout(1500)
    everything = str(toy.lines) + str(toy.posts)
    for secret in ("HIDDEN77", "4111", "URLKEY88"):
        assert secret not in everything


FORGED = """() => {
  for (const type of ["visibilitychange"]) document.dispatchEvent(new Event(type));
  dispatchEvent(new Event("resize"));
  dispatchEvent(new PageTransitionEvent("pagehide", { persisted: false }));
  dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  dispatchEvent(new PointerEvent("pointercancel", { bubbles: true }));
  navigation.dispatchEvent(new Event("navigate"));
  navigation.dispatchEvent(new Event("currententrychange"));
}"""


def test_what_a_page_pretends_is_the_pages(shown: Any, page: Page, events: Any) -> None:
    shown("<button id=b>Go</button>")
    page.evaluate(FORGED)
    page.locator("#b").click()
    assert len(events("click")) == 1  # it goes on: the page has not left
    told = [(event["type"], event["origin"]) for event in events("visibility", "resize", least=2)]
    assert told == [("visibility", "page"), ("resize", "page")]
    assert [event["how"] for event in events("navigate")] == ["load"]
    assert [event["action"] for event in events("tab")] == ["open"]


def test_a_dialog_asks_an_object_for_its_text_once(shown: Any, page: Page, events: Any) -> None:
    shown("<button id=b>b</button><script>let asked = 0; const it = {toString: () => `text ${++asked}`, valueOf: () => 0};"
          "b.onclick = () => { alert(it); confirm(it); prompt(it, it); try { alert({toString() { throw 7; }}); } "
          "catch (error) { document.title = `${asked} ${error}`; } };</script>")  # fmt: skip
    said: list[str] = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.locator("#b").click()
    assert page.title() == "4 7"  # the prompt has two
    assert said == ["text 1", "text 2", "text 3"]
    assert [event["text"] for event in events("dialog", least=3)] == said
