"""What the script says of one input after another, on a page for each kind of fault that recorders are known for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.recorder_script.toy import Toy

Wait = Callable[..., Any]
Event = dict[str, Any]


def test_an_icon_in_a_button_is_the_button(shown: Any, page: Page, events: Any) -> None:
    shown("<button aria-label=Delete><svg width=20 height=20><rect id=r width=20 height=20 /></svg></button>")
    page.locator("#r").click()
    (click,) = events("click")
    assert (click["target"]["role"], click["target"]["name"], click["target"]["inner"]["tag"]) == (
        "button",
        "Delete",
        "rect",
    )


def test_rows_that_each_have_a_delete_get_locators_of_their_own(shown: Any, page: Page, events: Any) -> None:
    shown("<table>" + "".join(f"<tr><td>{i}<td><button class=x>Delete</button>" for i in range(5)) + "</table>")
    page.locator("button").nth(3).click()
    target = events("click")[0]["target"]
    assert page.locator(target["css"]).count() == 1
    assert target["matches"] == {"css": 1, "role": 5}
    assert (
        page.evaluate("x => document.evaluate(x, document, null, 9).singleNodeValue.textContent", target["xpath"])
        == "Delete"
    )


@pytest.mark.parametrize("ident", ["ember1234", ":r1:", "mui-42", "a3f9c2d1e4b5a6978812", "8f14e45f-ceea-467f"])
def test_generated_ids_are_no_locators(shown: Any, page: Page, events: Any, ident: str) -> None:
    shown(f'<div><button id="{ident}" name=save>Save</button></div>')
    page.locator("button").click()
    assert events("click")[0]["target"]["css"] == 'button[name="save"]'


def test_a_select_is_not_named_by_its_options(shown: Any, page: Page, events: Any) -> None:
    shown("<label>Size <select id=s><option>Small<option>Large</select></label>")
    page.locator("#s").select_option("Large")
    (change,) = events("change")
    assert change["target"]["name"] == "Size"
    assert (change["value"], change["label"], change["index"]) == ("Large", "Large", 1)


def test_a_select_by_keyboard(shown: Any, page: Page, events: Any) -> None:
    shown("<select id=s aria-label=Size><option>Small<option>Large</select>")
    page.locator("#s").focus()
    page.keyboard.press("ArrowDown")
    (change,) = events("change")
    assert (change["origin"], change["label"], change["by"]) == ("user", "Large", "keyboard")


def test_open_shadow_roots(shown: Any, page: Page, events: Any) -> None:
    shown(
        "<x-a id=host></x-a><script>host.attachShadow({mode:'open'}).innerHTML='<p><button id=in>In</button></p>'</script>"
    )
    page.locator("#in").click()
    target = events("click")[0]["target"]
    assert (target["css"], target["shadow"], target["xpath"], target["name"]) == ("#in", ["#host"], "/p/button", "In")


def test_a_closed_shadow_root_is_a_blind_spot(shown: Any, page: Page, events: Any) -> None:
    shown("<x-a id=host></x-a><script>host.attachShadow({mode:'closed'}).innerHTML='<button>In</button>'</script>")
    page.mouse.click(20, 20)
    assert events("blind")[0]["reason"] == "closed shadow root"
    assert events("click")[0]["target"]["css"] == "#host"


def test_srcdoc_and_blank_frames(shown: Any, page: Page, events: Any) -> None:
    shown("<p>one</p><iframe srcdoc='<button id=b>In</button>'></iframe><iframe id=e></iframe>"
          "<script>e.contentDocument.body.innerHTML='<input id=t>'</script>")  # fmt: skip
    page.frame_locator("iframe").first.locator("#b").click()
    page.frame_locator("#e").locator("#t").click()
    page.keyboard.type("x")
    assert [(event["frame"], event["target"]["css"]) for event in events("click", least=2)] == [
        ("0", "#b"),
        ("1", "#t"),
    ]
    assert events("input")[0]["value"] == "x"


def test_a_frame_of_another_origin_is_a_blind_spot(shown: Any, page: Page, events: Any, toy: Toy) -> None:
    shown(f"<iframe id=f src='http://localhost:{toy.port}/other'></iframe>", other="x")
    assert events("blind")[0]["reason"] == "cross-origin frame"


def test_what_is_pressed_and_goes_away_was_clicked(shown: Any, page: Page, events: Any) -> None:
    shown("<button id=b onpointerdown='this.remove()'>Gone</button>")
    page.mouse.click(30, 18)
    (click,) = events("click")
    assert (click["target"]["css"], click["heard"], click["origin"]) == ("#b", False, "user")


def test_text_that_the_page_puts_in_by_itself(shown: Any, page: Page, events: Any) -> None:
    shown('<input id=t onkeydown="event.preventDefault();this.value+=event.key.toUpperCase()">')
    page.locator("#t").click()
    page.keyboard.type("ab", delay=40)
    assert [event["value"] for event in events("input", least=2)] == ["A", "AB"]


def test_a_masked_input_ends_with_what_it_shows(shown: Any, page: Page, events: Any) -> None:
    shown("<input id=t oninput=\"this.value=this.value.replace(/(\\d{3})(\\d)/,'$1-$2')\">")
    page.locator("#t").click()
    page.keyboard.type("1234", delay=40)
    assert events("input", least=4)[-1]["value"] == "123-4"


def test_contenteditable_has_values_before_and_after(shown: Any, page: Page, events: Any) -> None:
    shown("<div id=e contenteditable>one</div>")
    page.locator("#e").click()
    page.keyboard.press("End")
    page.keyboard.type("!")
    (given,) = events("input")
    assert (given["before"], given["value"], given["target"]["editable"]) == ("one", "one!", "block")


def test_keydowns_without_a_key(shown: Any, page: Page, events: Any) -> None:
    shown("<input id=t><script>t.dispatchEvent(new Event('keydown',{bubbles:true}))</script><button id=b>Go</button>")
    page.locator("#b").click()
    assert events("click")


def test_files_are_told_by_name(shown: Any, page: Page, events: Any, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("private")
    # From before the page: asked for just before the click, the browser may not be told in time.
    page.on("filechooser", lambda chooser: chooser.set_files(tmp_path / "notes.txt"))
    shown("<input type=file id=f aria-label=File>")
    page.locator("#f").click()
    (change,) = events("change")
    assert (change["files"], change.get("value")) == (["notes.txt"], None)
    assert events("click")[0]["opens"] == "file"


def test_a_pointer_drag_on_a_custom_slider(shown: Any, page: Page, events: Any) -> None:
    shown(
        "<div id=h role=slider style='width:30px;height:30px;background:red'></div><div id=z style='height:200px'></div>"
    )
    page.mouse.move(20, 20)
    page.mouse.down()
    page.mouse.move(120, 20, steps=5)
    page.mouse.up()
    (drag,) = events("drag")
    assert (drag["how"], drag["from"]["css"], drag["path"][-1][:2]) == ("pointer", "#h", [120, 20])


def test_right_click(shown: Any, page: Page, events: Any) -> None:
    shown("<p id=p>text</p>")
    page.locator("#p").click(button="right")
    assert events("contextmenu")[0]["target"]["css"] == "#p"


def test_scroll_by_script_is_the_pages(shown: Any, page: Page, events: Any) -> None:
    shown("<div style='height:5000px'></div><script>setTimeout(()=>scrollTo(0,700),200)</script>")
    scroll = events("scroll")[0]
    assert (scroll["origin"], scroll["top"], scroll["target"]["tag"]) == ("page", 700, "html")


def test_history_by_the_page_and_by_the_person(shown: Any, page: Page, events: Any, wait: Wait, toy: Toy) -> None:
    shown(
        "<button id=b onclick=\"history.pushState(0,'','?a')\">Push</button><button id=k onclick='history.back()'>Back</button>"
    )
    page.locator("#b").click()
    page.locator("#k").click()
    page.wait_for_timeout(200)
    page.go_forward()
    push, back, forward = events("navigate", least=4)[1:]
    assert [(e["how"], e["origin"]) for e in (push, back, forward)] == [
        ("push", "page"),
        ("back", "page"),
        ("forward", "user"),
    ]


def test_redirects_links_and_scripts_are_consequences(shown: Any, page: Page, events: Any) -> None:
    shown("<a id=a href=/q>go</a>", q="<script>location.replace('/r')</script>", r="<p>end</p>")
    page.locator("#a").click()
    page.wait_for_url("**/r")
    assert {event["origin"] for event in events("navigate", least=3)} == {"page"}


def test_reload_by_script_and_by_the_person(shown: Any, page: Page, events: Any) -> None:
    shown("<button id=b onclick='location.reload()'>Again</button>")
    page.locator("#b").click()
    page.wait_for_timeout(500)
    page.reload()
    reloads = [event for event in events("navigate", least=3) if event["how"] == "reload"]
    assert [(event["origin"], event["cause"]) for event in reloads] == [("page", "script"), ("user", "typed")]


def test_secrets_stay_in_the_page(shown: Any, page: Page, events: Any, toy: Toy) -> None:
    shown("<form action=/q><input name=u><input id=p name=pw type=password><input id=c autocomplete=one-time-code>"
          "<p id=echo></p>"
          "<button onclick=\"echo.textContent='You typed '+p.value\" type=button id=b>Echo</button>"
          "<button>In</button></form>", q="<p>in</p>")  # fmt: skip
    page.locator("#p").click()
    page.keyboard.type("Tr0ub4dor")
    page.locator("#b").click()
    page.locator("#echo").click()
    page.locator("#c").click()
    page.keyboard.type("994411")
    page.keyboard.press("Enter")
    page.wait_for_url("**/q?**")
    events("navigate", least=2)
    everything = str(toy.lines) + str(toy.posts)
    for secret in ("Tr0ub4dor", "Tr0ub", "994411", "9944"):
        assert secret not in everything


def test_tooltip_by_script(shown: Any, page: Page, events: Any) -> None:
    shown("<div style='height:60px'></div><span id=q>?</span><script>q.onmouseenter=()=>{let d=document.createElement('div');"
          "d.textContent='Help';document.body.append(d)}</script>")  # fmt: skip
    page.mouse.move(600, 500)
    page.wait_for_timeout(60)
    page.locator("#q").hover()
    page.wait_for_timeout(700)
    hovers = [event for event in events("mousemove", least=2) if event.get("effect")]
    assert [(event["effect"], event["target"]["css"]) for event in hovers] == [("hover", "#q")]


def test_where_the_pointer_rests_is_recorded_however_soon_it_came_there(shown: Any, page: Page, events: Any) -> None:
    shown("<p>words</p>" * 30)
    places = [(100 + 60 * i, 90 + 37 * i) for i in range(8)]
    for x, y in places:
        page.mouse.move(x, y, steps=3 + x // 100)
        page.wait_for_timeout(150)
    page.keyboard.press("Escape")
    page.mouse.move(20, 400, steps=4)
    page.mouse.click(20, 400)
    events("click")
    moves = events("mousemove")
    assert [place for place in places if place not in [(move["x"], move["y"]) for move in moves]] == []
    gaps = [later["p"] - earlier["p"] for earlier, later in zip(moves, moves[1:], strict=False)]
    assert min(gaps) >= 49.9  # p has one decimal


def test_a_document_opened_anew_is_listened_to_soon(shown: Any, page: Page, toy: Toy, wait: Wait) -> None:
    shown(
        "<button id=b onclick=\"document.open();document.write('<button id=n>New</button>');document.close()\">Rewrite</button>"
    )
    page.locator("#b").click()
    wait(lambda: page.locator("#n").click() or "#n" in [event["target"]["css"] for event in toy.of("click")])
    assert toy.of("click")[0]["target"]["css"] == "#b"


def test_no_access_to_anything_by_content_policy(shown: Any, page: Page, events: Any, toy: Toy) -> None:
    toy.headers = {
        "Content-Security-Policy": "default-src 'self'; worker-src 'none'; script-src 'self' 'unsafe-inline'"
    }
    shown("<button id=b>Go</button>")
    page.locator("#b").click()
    assert events("click")[0]["target"]["css"] == "#b"


def test_a_sandboxed_frame(shown: Any, page: Page, events: Any) -> None:
    shown("<iframe sandbox='allow-scripts' src=/in></iframe>", **{"in": "<button id=b>In</button>"})
    page.frame_locator("iframe").locator("#b").click()
    assert events("click")[0]["target"]["css"] == "#b"


def test_keys_and_texts_in_a_frame_without_an_address(shown: Any, page: Page, events: Any) -> None:
    shown("<iframe srcdoc='<form onsubmit=\"return false\"><input id=i></form>'></iframe>")
    page.frame_locator("iframe").locator("#i").click()
    page.keyboard.type("a")
    page.keyboard.press("Control+b")
    page.keyboard.press("Enter")
    submit = events("submit")[0]
    keys = [event for event in events("keydown") if event["key"] != "Control"]
    assert [(event["key"], event["code"], event["modifiers"]) for event in keys] == [
        ("a", "KeyA", []),
        ("b", "KeyB", ["Control"]),
        ("Enter", "Enter", []),
    ]
    (typed,) = [event for event in events("input") if event["value"] == "a"]
    assert (typed["inputType"], typed["data"], typed["gesture"]) == ("insertText", "a", keys[0]["gesture"])
    assert (submit["by"], submit["origin"], submit["gesture"]) == ("keyboard", "user", keys[2]["gesture"])


def test_a_box_that_a_script_clicks_is_not_the_persons(shown: Any, page: Page, events: Any) -> None:
    shown("""<input type=checkbox id=c><input type=radio id=r><label id=l><input type=checkbox id=d>Later</label><script>
    setTimeout(() => { c.click(); r.click(); l.click(); }, 200);</script>""")
    assert [event["origin"] for event in events("change", least=3)] == ["page"] * 3
    page.locator("#c").click()
    page.locator("#d").press(" ")
    assert [event["origin"] for event in events("change", least=5)[3:]] == ["user"] * 2


def test_a_tab_opens_once(shown: Any, page: Page, events: Any, toy: Toy) -> None:
    shown("<p>one</p>", two="<p>two</p>")
    page.reload()
    page.evaluate("location.replace('/two')")
    page.wait_for_url("**/two")
    events("navigate", least=3)
    assert [event["action"] for event in toy.of("tab")] == ["open"]
