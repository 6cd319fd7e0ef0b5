"""Drivers of MiniWoB++ pages: buttons, menus, shapes, drags, sliders."""

from __future__ import annotations

import re

from tests.bench.fidelity.hand import Hand
from tests.bench.fidelity.miniwob_text import SUBMIT, ordinal, quoted
from tests.bench.fidelity.registry import driver


@driver("buttons")
def click_button(hand: Hand) -> None:
    hand.click(hand.exact("#area button", quoted(hand.query())[0]))


@driver("buttons")
def click_button_sequence(hand: Hand) -> None:
    hand.click("#subbtn")
    hand.click("#subbtn2")


@driver("buttons")
def click_test(hand: Hand) -> None:
    hand.click(SUBMIT)


click_test_2 = driver("buttons", "click-test-2")(click_test)


@driver("buttons")
def unicode_test(hand: Hand) -> None:
    hand.click(hand.exact("#area button", quoted(hand.query())[0]))


@driver("buttons")
def click_dialog(hand: Hand) -> None:
    hand.click(".ui-dialog button.ui-button")


@driver("buttons")
def click_dialog_2(hand: Hand) -> None:
    wanted = quoted(hand.query())[0]
    hand.click(".ui-dialog-titlebar-close" if wanted == "x" else hand.exact(".ui-dialog-buttonset button", wanted))


@driver("buttons")
def click_widget(hand: Hand) -> None:
    kind = quoted(hand.query())[0]
    hand.click(f"#area .widget:has([data-type='{kind}']) [data-type='{kind}']")


@driver("buttons")
def odd_or_even(hand: Hand) -> None:
    numbers = [int(text) for text in hand.page.locator(".display-number").all_inner_texts()]
    for index, number in enumerate(numbers):
        hand.click(hand.page.locator("#numbers .row").nth(index).locator(".odd" if number % 2 else ".even"))
    hand.click("#submit")


@driver("buttons")
def find_greatest(hand: Hand) -> None:
    values = hand.js("[...document.querySelectorAll('.card-value')].map(card => +card.textContent)")
    hand.click(hand.page.locator(".card").nth(values.index(max(values))))
    hand.click("#submit")


@driver("links")
def click_link(hand: Hand) -> None:
    hand.click(hand.exact("#area .alink", quoted(hand.query())[0]))


@driver("tabs")
def click_tab(hand: Hand) -> None:
    number = re.search(r"#(\d)", hand.query())
    assert number
    hand.click(f"#area a[href='#tabs-{number[1]}']")


@driver("tabs")
def click_tab_2(hand: Hand) -> None:
    wanted = quoted(hand.query())[0]
    for number in (1, 2, 3):
        hand.click(f"#area a[href='#tabs-{number}']")
        link = hand.page.locator(f"#tabs-{number} .alink:visible", has_text=re.compile(f"^{re.escape(wanted)}$"))
        if link.count():
            return hand.click(link.first)
    raise AssertionError(f"no link {wanted}")


click_tab_2_hard = driver("tabs", "click-tab-2-hard")(click_tab_2)


@driver("tabs")
def click_collapsible(hand: Hand) -> None:
    hand.click("#area h3")
    hand.page.wait_for_timeout(500)
    hand.click(SUBMIT)


@driver("tabs")
def click_collapsible_2(hand: Hand) -> None:
    wanted = quoted(hand.query())[0]
    for number in range(3):
        hand.click(hand.page.locator("#area h3").nth(number))
        hand.page.wait_for_timeout(500)
        link = hand.page.locator("#area .alink:visible", has_text=re.compile(f"^{re.escape(wanted)}$"))
        if link.count():
            return hand.click(link.first)
    raise AssertionError(f"no link {wanted}")


@driver("menus")
def click_menu(hand: Hand) -> None:
    *path, leaf = hand.query().removeprefix("Select ").split(">")
    for name in path:
        hand.hover(hand.exact("#menu li > div:visible", name), 0.3)
    hand.page.locator("#menu li > div:visible", has_text=leaf).first.wait_for()
    hand.click(hand.exact("#menu li > div:visible", leaf), 0.3)


@driver("menus")
def click_menu_2(hand: Hand) -> None:
    icon = hand.js("document.querySelector('#query .ui-icon')?.className.replace('ui-icon ', '')")
    hand.click("#open-menu")
    item = f"#menu li > div:has(.{icon})" if icon else f"#menu li > div:text-is('{quoted(hand.query())[1]}')"
    if not hand.page.locator(item).first.is_visible():
        hand.hover("#menu li > div:text-is('Playback')", 0.3)
        hand.page.locator(item).first.wait_for(state="visible")
    hand.click(item, 0.3)


@driver("menus")
def navigate_tree(hand: Hand) -> None:
    wanted = quoted(hand.query())[0]
    chain = hand.js(
        """(name) => { const at = [...document.querySelectorAll('#tree span')].find(e => e.textContent === name);
        const all = [...document.querySelectorAll('#tree li')];
        const out = []; for (let e = at.closest('li'); e; e = e.parentElement.closest('#tree li')) out.unshift(all.indexOf(e));
        return out; }""",
        wanted,
    )
    for index in chain[:-1]:
        hand.click(hand.page.locator("#tree li").nth(index).locator("> .hitarea"))
    hand.click(hand.page.locator("#tree li").nth(chain[-1]).locator("> span"))


@driver("menus")
def social_media(hand: Hand) -> None:
    user, action = re.search(r'For the user (@\S+), click on the "(.*)" button', hand.query()).groups()  # type: ignore[union-attr]
    item = (
        hand.page.locator("#area .media")
        .filter(has=hand.page.locator(".username", has_text=re.compile(f"^{user}$")))
        .first
    )
    box, area = item.bounding_box(), hand.page.locator("#area").bounding_box()
    assert box
    assert area
    if box["y"] + box["height"] > area["y"] + area["height"]:
        hand.wheel("#area", box["y"] - area["y"])
        hand.page.wait_for_timeout(500)
    direct = {"Reply": ".reply", "Retweet": ".retweet", "Like": ".like"}
    if action in direct:
        return hand.click(item.locator(direct[action]))
    hand.click(item.locator(".more"))
    return hand.click(item.locator("ul li", has_text=re.compile(f"^{action}")).first)


@driver("shapes")
def click_color(hand: Hand) -> None:
    hand.click(
        f"#area .color[data-color='{re.search(r'Click on the (.*) colored', hand.js('core.getUtterance()'))[1]}']"
    )  # type: ignore[index]


@driver("shapes")
def click_shades(hand: Hand) -> None:
    color = re.search(r"shades of (\w+)", hand.query())
    assert color
    for span in hand.page.locator(f"#area span[data-color='{color[1]}']").all():
        hand.click(span)
    hand.click("#submit")


@driver("shapes")
def grid_coordinate(hand: Hand) -> None:
    at = re.search(r"\(-?\d,-?\d\)", hand.query())
    assert at
    hand.click(f"circle[id='{at[0]}']")


@driver("shapes")
def identify_shape(hand: Hand) -> None:
    tag, text = hand.js(
        "(() => { const s = document.querySelector('#area_svg').children[0]; return [s.tagName, s.textContent]; })()"
    )
    kind = {"rect": "rectangle", "circle": "circle", "polygon": "triangle"}.get(tag) or (
        "digit" if text.isdigit() else "letter"
    )
    hand.click(f"#area-buttons button[data-type='{kind}']")


@driver("shapes")
def circle_center(hand: Hand) -> None:
    hand.click("svg circle")
    hand.click(SUBMIT)


@driver("shapes")
def ascending_numbers(hand: Hand) -> None:
    hand.click("svg text")
    while hand.page.locator("svg rect").count() and not hand.js("WOB_DONE_GLOBAL"):
        hand.click("svg rect")


@driver("drags")
def drag_box(hand: Hand) -> None:
    x, y = hand.spot("#draggableLarge")
    hand.drag("#draggableSmall", (x, y))
    hand.click(SUBMIT)


@driver("drags")
def drag_circle(hand: Hand) -> None:
    way = re.search(r"(left|right|up|down)", hand.query())
    assert way
    x, y = hand.spot("svg .black-circle, svg .black-shape")
    dx, dy = {"left": (-25, 0), "right": (25, 0), "up": (0, -25), "down": (0, 25)}[way[1]]
    hand.drag((x, y), (x + dx, y + dy))
    hand.click(SUBMIT)


drag_single_shape = driver("drags", "drag-single-shape")(drag_circle)


@driver("drags")
def drag_items(hand: Hand) -> None:
    name, place = re.search(r"Drag (\S+) (.*)\.", hand.query()).groups()  # type: ignore[union-attr]
    names = [text.strip() for text in hand.page.locator("#sortable li").all_inner_texts()]
    here = names.index(name)
    last = len(names) - 1
    words = {"to the top": 0, "to the bottom": last, "down by one position": here + 1, "up by one position": here - 1}
    sort_to(hand, here, words.get(place, ordinal(place) if place not in words else 0))


@driver("drags")
def drag_items_grid(hand: Hand) -> None:
    name, place = re.search(r"Drag (\S+) (.*)\.", hand.query()).groups()  # type: ignore[union-attr]
    names = [text.strip() for text in hand.page.locator("#sortable li").all_inner_texts()]
    here = names.index(name)
    places = [
        "top left",
        "top center",
        "top right",
        "center left",
        "center",
        "center right",
        "bottom left",
        "bottom center",
        "bottom right",
    ]
    moves = {"up by one": here - 3, "down by one": here + 3, "left by one": here - 1, "right by one": here + 1}
    there = moves.get(place, places.index(place.removeprefix("to the ")) if place.startswith("to the") else 0)
    x, y = hand.spot(hand.page.locator("#sortable li").nth(there))
    hand.drag(hand.page.locator("#sortable li").nth(here), (x + (6 if there > here else -6), y), moves=20)


def sort_to(hand: Hand, here: int, there: int) -> None:
    """Drag a list item over another's place, a little beyond its middle."""
    items = hand.page.locator("#sortable li")
    x, y = hand.spot(items.nth(there))
    hand.drag(items.nth(here), (x, y + (6 if there > here else -6)), moves=20)


@driver("drags")
def drag_sort_numbers(hand: Hand) -> None:
    for place in range(4):
        numbers = [int(text) for text in hand.page.locator("#sortable li div").all_inner_texts()]
        least = numbers.index(min(numbers[place:]), place)
        if least != place:
            sort_to(hand, least, place)
            hand.page.wait_for_timeout(100)
    hand.click(SUBMIT)


@driver("drags")
def drag_shapes(hand: Hand) -> None:
    kind = re.search(r"Drag all (\w+) into", hand.query())
    assert kind
    css = {"rectangles": "rect:not(#shape-container)", "circles": "circle", "triangles": "polygon"}[kind[1]]
    x, y = hand.spot("#shape-container")
    for index, shape in enumerate(hand.page.locator(f"#area_svg {css}").all()):
        hand.drag(shape, (x - 20 + 14 * index, y))
    hand.click(SUBMIT)


@driver("drags")
def resize_textarea(hand: Hand) -> None:
    query = hand.query()
    way = 18 if "larger" in query else -18
    x, y = hand.spot("#tt", 1, 1)
    corner = (x - 5, y - 5)
    hand.drag(corner, (corner[0], corner[1] + way) if "height" in query else (corner[0] + way, corner[1]))
    hand.click("#submit")


@driver("sliders")
def use_slider(hand: Hand) -> None:
    wanted = re.search(r"Select (-?\d+) with", hand.query())
    assert wanted
    slide(hand, "#slider", "#val", int(wanted[1]))
    hand.click(SUBMIT)


def slide(hand: Hand, slider: str, shown: str, wanted: int) -> None:
    """Drag the handle towards the value, then by arrow keys one by one."""
    least, most, upright = hand.js(
        """css => { const one = (name) => $(css).slider("option", name);
        return [one("min"), one("max"), one("orientation") === "vertical"]; }""",
        slider,
    )
    share = (wanted - least) / (most - least)
    end = hand.spot(slider, 0.5, 1 - share) if upright else hand.spot(slider, share, 0.5)
    hand.drag(f"{slider} .ui-slider-handle", end)
    for _ in range(30):
        gap = wanted - int(hand.page.locator(shown).inner_text())
        if not gap:
            return
        hand.press("ArrowRight" if gap > 0 else "ArrowLeft")


@driver("sliders")
def use_slider_2(hand: Hand) -> None:
    wanted = [int(part) for part in re.findall(r"-?\d+", hand.query())]
    for index, value in enumerate(wanted, start=1):
        slide(hand, f"#slider-{index}", f"#val-{index}", value)
    hand.click(SUBMIT)


@driver("sliders")
def form_sequence(hand: Hand) -> None:
    wanted = re.search(r"Select (-?\d+) with the slider, click the (\d)", hand.query())
    assert wanted
    slide(hand, "#slider", "#val", int(wanted[1]))
    hand.click(f"#checkbox-{wanted[2]}")
    hand.click(SUBMIT)


@driver("sliders")
def use_spinner(hand: Hand) -> None:
    wanted = re.search(r"Select (-?\d+) with", hand.query())
    assert wanted
    way = ".ui-spinner-up" if int(wanted[1]) > 0 else ".ui-spinner-down"
    for _ in range(abs(int(wanted[1]))):
        hand.click(way)
    hand.click(SUBMIT)


@driver("editor")
def text_editor(hand: Hand) -> None:
    query = hand.query()
    word = re.search(r"give the text (\S+) the", query)
    editor = "#editor .ql-editor p"
    if word:
        box = hand.js(
            """(word) => { const node = document.querySelector('#editor .ql-editor p').firstChild; const range = document.createRange();
            const at = node.data.indexOf(word); range.setStart(node, at); range.setEnd(node, at + word.length);
            const b = range.getBoundingClientRect(); return [b.left, b.right, b.top + b.height / 2]; }""",
            word[1],
        )
        hand.drag((box[0] + 0.5, box[2]), (box[1], box[2]))
    else:
        hand.click(editor)
        hand.press("Control+a")
    style = re.search(r"the style (\w+)", query)
    if style:
        hand.click({"bold": ".ql-bold", "italics": ".ql-italic", "underlined": ".ql-underline"}[style[1]])
    else:
        color = re.search(r"color (\w+)", query)
        assert color
        shade = {
            "red": "#e60000",
            "orange": "#ff9900",
            "yellow": "#ffff00",
            "green": "#008a00",
            "blue": "#0066cc",
            "purple": "#9933ff",
        }
        hand.click(".ql-color .ql-picker-label")
        hand.click(f".ql-color [data-value='{shade[color[1]]}']")
    hand.click(SUBMIT)


@driver("pages")
def phone_book(hand: Hand) -> None:
    query = hand.query()
    name = re.search(r"Find (\w+)", query)
    assert name
    for _ in range(5):
        if hand.page.locator("#contact .name").inner_text() == name[1]:
            break
        hand.click(hand.page.locator("#pagination a", has_text=">").first)
    kind = next(kind for kind in ("phone", "email", "address") if kind in query.lower().split("click")[-1])
    hand.click(f"#contact .{kind}")


@driver("pages")
def email_inbox_delete(hand: Hand) -> None:
    email(hand)


email_inbox_important = driver("pages", "email-inbox-important")(email_inbox_delete)
email_inbox_reply = driver("pages", "email-inbox-reply")(email_inbox_delete)
email_inbox_forward = driver("pages", "email-inbox-forward")(email_inbox_delete)


def email(hand: Hand) -> None:
    query = hand.query()
    name = re.search(r"(?:by|from|of) (\w+)", query)
    assert name
    thread = (
        hand.page.locator(".email-thread")
        .filter(has=hand.page.locator(".email-sender", has_text=re.compile(f"^{name[1]}$")))
        .first
    )
    if "trash" in query or "delete" in query.lower():
        return hand.click(thread.locator(".trash"))
    if "important" in query or "star" in query.lower():
        return hand.click(thread.locator(".star"))
    hand.click(thread.locator(".email-subject"))
    if "forward" in query.lower():
        to = re.search(r"to (\w+)\.?$", query) or re.search(r"to (\w+)", query)
        assert to
        hand.click(".email-forward")
        hand.click(".forward-sender")
        hand.type(to[1])
        return hand.click("#send-forward")
    hand.click(".email-reply")
    hand.click("#reply-text")
    hand.type(quoted(query)[0])
    return hand.click("#send-reply")
