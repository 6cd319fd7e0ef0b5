"""Which element an event is about, on pages that make it hard to tell."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.recorder_script.toy import Toy

SHADOW = "<script>{0}.attachShadow({{mode: '{1}'}}).innerHTML = `{2}`</script>"


def test_a_list_filtered_between_press_and_release(shown: Any, page: Page, events: Any) -> None:
    shown("<ul id=l><li><button>Ann</button><li><button id=bob>Bob</button></ul>"
          "<script>onpointerdown = () => l.firstChild.remove()</script>")  # fmt: skip
    page.mouse.click(80, 45)
    click = events("click")[0]
    assert (click["target"]["css"], click["target"]["name"], click["target"]["xpath"]) == (
        "#bob",
        "Bob",
        "/html/body/ul/li[2]/button",
    )


def test_names_that_begin_alike_are_counted_exactly(shown: Any, page: Page, events: Any) -> None:
    shown("<a href=#1>Star 2020</a> <a href=#2>Star 2020 gold</a> <a href=#3>Star 2020</a>")
    page.get_by_text("Star 2020 gold").click()
    page.get_by_text("Star 2020", exact=True).first.click()
    gold, star = [event["target"] for event in events("click", least=2)]
    assert (gold["name"], gold["matches"]["role"], star["matches"]["role"]) == ("Star 2020 gold", 1, 2)
    assert page.locator(star["css"]).count() == 1


def test_text_wrapped_three_deep(shown: Any, page: Page, events: Any) -> None:
    shown("<a href=#x><span><b><i id=i>Deep</i></b></span></a>")
    page.locator("#i").click()
    target = events("click")[0]["target"]
    assert (target["tag"], target["name"], target["inner"]) == ("a", "Deep", {"tag": "i", "text": "Deep"})


def test_a_frame_in_a_shadow_root_and_one_in_that(shown: Any, page: Page, events: Any) -> None:
    shown(
        "<x-a id=host></x-a>" + SHADOW.format("host", "open", "<iframe id=f src=/in></iframe>"),
        **{"in": "<iframe id=g src=/deep></iframe>", "deep": "<button id=b>Deep</button>"},
    )
    page.frame_locator("#f").frame_locator("#g").locator("#b").click()
    assert [(event["target"]["css"], event["target"]["name"]) for event in events("click")] == [("#b", "Deep")]


def test_frames_in_frames_have_paths(shown: Any, page: Page, events: Any, toy: Toy) -> None:
    shown(
        "<iframe src=/in></iframe><iframe src=/in></iframe>",
        **{"in": "<iframe src=/deep></iframe>", "deep": "<button id=b>x</button>"},
    )
    page.frame_locator("iframe").nth(1).frame_locator("iframe").locator("#b").click()
    doc = events("click")[0]["doc"]
    frames = {entry["doc"]: entry["frame"] for post in toy.posts for entry in post["docs"] if "frame" in entry}
    assert frames[doc] == "1/0"


def test_in_a_frame_the_target_says_where_the_frame_lies(shown: Any, page: Page, events: Any) -> None:
    shown(
        "<p>above</p><iframe src=/in style='margin-left:31px;padding:7px;border:3px solid;width:500px;height:300px'></iframe>"
        "<p style='height:2000px'>below</p>",
        **{
            "in": "<iframe srcdoc='<p>x</p><button id=b>Deep</button>' style='position:absolute;left:50px;top:41px'></iframe>"
        },
    )
    page.mouse.wheel(0, 30)
    button = page.frame_locator("iframe").frame_locator("iframe").locator("#b")
    button.click()
    (click,) = events("click")
    box, target = button.bounding_box(), click["target"]
    assert box
    placed = [target["box"][0] + target["offset"][0], target["box"][1] + target["offset"][1]]
    assert placed == [pytest.approx(box["x"], abs=1), pytest.approx(box["y"], abs=1)]


def test_focus_in_a_closed_shadow_root_of_any_element(shown: Any, page: Page, events: Any) -> None:
    shown("<div id=host></div><input id=t>" + SHADOW.format("host", "closed", "<input>"))
    page.locator("#t").focus()
    page.keyboard.press("Shift+Tab")
    (blind,) = events("blind")
    assert (blind["reason"], blind["target"]["css"]) == ("closed shadow root", "#host")


def test_a_focused_scroller_hides_nothing(shown: Any, page: Page, events: Any, toy: Toy) -> None:
    shown("<div id=s style='height:50px;overflow:auto'><p style='height:500px'>x</div><button id=b>b</button>")
    page.locator("#b").click()
    page.keyboard.press("Shift+Tab")
    events("focus", least=2)
    events("click")
    assert toy.of("blind") == []


def test_xhtml_and_svg_have_locators_that_find_them(page: Page, toy: Toy, events: Any) -> None:
    body = ('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head></head><body><p>one</p><p>'
            '<a href="#x">Link <b>bold</b></a> <input type="checkbox" aria-label="Yes"/> '
            '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect id="r" width="40" height="40"/></svg>'
            '</p></body></html>')  # fmt: skip
    toy.pages = {"/p.xhtml": body}
    page.goto(toy.url + "/p.xhtml")
    for selector in ("a", "input", "#r"):
        page.locator(selector).click()
    link, box, shape = [event["target"] for event in events("click", least=3)]
    assert (link["role"], link["name"], link["tag"]) == ("link", "Link bold", "a")
    assert (box["role"], box["name"], box["type"]) == ("checkbox", "Yes", "checkbox")
    for target, wanted in ((link, "a"), (box, "input"), (shape, "rect")):
        found = "x => document.evaluate(x, document, null, 9).singleNodeValue.localName"
        assert page.evaluate(found, target["xpath"]) == wanted


def test_svg_in_html_has_an_xpath_that_finds_it(shown: Any, page: Page, events: Any) -> None:
    shown("<svg width=60 height=30><rect width=20 height=30 /><rect id=r x=30 width=20 height=30 /></svg>")
    page.locator("#r").click()
    xpath = events("click")[0]["target"]["xpath"]
    assert page.evaluate("x => document.evaluate(x, document, null, 9).singleNodeValue.id", xpath) == "r"
