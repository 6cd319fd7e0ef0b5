"""Drivers of MiniWoB++ pages: text, boxes, lists, dates."""

from __future__ import annotations

import re
from datetime import datetime

from tests.bench.fidelity.hand import Hand
from tests.bench.fidelity.registry import driver

SUBMIT = "#subbtn"


def quoted(text: str) -> list[str]:
    return re.findall(r'"(.*?)"', text)


def ordinal(text: str) -> int:
    """The place that "1st" … names, from 0."""
    found = re.search(r"(\d+)(?:st|nd|rd|th)", text)
    assert found
    return int(found[1]) - 1


def enter(hand: Hand, field: str, text: str) -> None:
    """Click into a field and type."""
    hand.click(field)
    hand.type(text)


@driver("text")
def enter_text(hand: Hand) -> None:
    enter(hand, "#tt", quoted(hand.query())[0])
    hand.click(SUBMIT)


enter_text_dynamic = driver("text", "enter-text-dynamic")(enter_text)


@driver("text")
def enter_text_2(hand: Hand) -> None:
    text = quoted(hand.query())[0]
    enter(hand, "#tt", text.upper() if "upper" in hand.query() else text.lower())
    hand.click(SUBMIT)


@driver("secret")
def enter_password(hand: Hand) -> None:
    text = quoted(hand.query())[0]
    enter(hand, "#password", text)
    enter(hand, "#verify", text)
    hand.click(SUBMIT)


@driver("secret")
def login_user(hand: Hand) -> None:
    user, password = quoted(hand.query())
    enter(hand, "#username", user)
    enter(hand, "#password", password)
    hand.click(SUBMIT)


@driver("secret")
def login_user_popup(hand: Hand) -> None:
    for field, text in zip(("#username", "#password"), quoted(hand.query()), strict=True):
        hand.click(field)
        if hand.page.locator("#popup-cancel").count():
            hand.click("#popup-cancel")
            hand.click(field)
        hand.type(text)
    hand.click(SUBMIT)


@driver("text")
def find_word(hand: Hand) -> None:
    words = hand.page.locator("#area p").inner_text().split()
    enter(hand, "#answer-input", re.sub(r"[^a-zA-Z]", "", words[ordinal(hand.query())]))
    hand.click(SUBMIT)


@driver("text")
def focus_text(hand: Hand) -> None:
    hand.click("#tt")


@driver("text")
def focus_text_2(hand: Hand) -> None:
    hand.click(f"#tt{ordinal(hand.query()) + 1}")


@driver("text")
def guess_number(hand: Hand) -> None:
    low, high = 0, 9
    while not hand.js("WOB_DONE_GLOBAL"):
        guess = (low + high) // 2
        hand.click("#tt")
        hand.press("Control+a")
        hand.type(str(guess))
        hand.click(SUBMIT)
        if hand.page.locator("#higher:not(.hide)").count():
            low = guess + 1
        else:
            high = guess - 1


@driver("text")
def read_table(hand: Hand) -> None:
    wanted = re.search(r"value of (.*) into", hand.query())
    assert wanted
    enter(hand, "#tt", cell(hand, wanted[1]))
    hand.click(SUBMIT)


def cell(hand: Hand, name: str) -> str:
    """The second cell of the row that begins with `name`."""
    rows = hand.js("[...document.querySelectorAll('#tab tr')].map(r => [...r.cells].map(c => c.textContent))")
    return str(next(value for key, value in rows if key == name))


@driver("text")
def read_table_2(hand: Hand) -> None:
    for index in (1, 2):
        name = hand.page.locator(f"#ll{index}").inner_text().rstrip(":")
        enter(hand, f"#tt{index}", cell(hand, name))
    hand.click(SUBMIT)


@driver("scroll")
def scroll_text(hand: Hand) -> None:
    text = hand.js("document.querySelector('#text-area').value || document.querySelector('#text-area').textContent")
    hand.wheel("#text-area", 1500)
    enter(hand, "#answer-input", re.sub(r"[^a-zA-Z0-9]", "", text.split()[-1]))
    hand.click(SUBMIT)


@driver("scroll")
def scroll_text_2(hand: Hand) -> None:
    hand.wheel("#text-area", 5000 if "bottom" in hand.query() else -5000)
    hand.click(SUBMIT)


@driver("scroll")
def sign_agreement(hand: Hand) -> None:
    if "Scroll" in hand.query():
        hand.wheel("#text-area", 8000)
        enter(hand, "#name", quoted(hand.query())[0])
    hand.click("#agree" if "Agree" in hand.query() else "#cancel")


@driver("text")
def simple_arithmetic(hand: Hand) -> None:
    one, sign, other = hand.page.locator("#math-problem").inner_text().split()[:3]
    result = {"+": int(one) + int(other), "-": int(one) - int(other), "x": int(one) * int(other)}[sign]
    enter(hand, "#math-answer", str(result))
    hand.click(SUBMIT)


@driver("text")
def simple_algebra(hand: Hand) -> None:
    one, sign, other, _, result = hand.page.locator("#math-problem").inner_text().split()
    if one == "x":
        x = int(result) - int(other) if sign == "+" else int(result) + int(other)
    else:
        x = int(result) - int(one) if sign == "+" else int(one) - int(result)
    enter(hand, "#math-answer", str(x))
    hand.click(SUBMIT)


@driver("text")
def text_transform(hand: Hand) -> None:
    enter(hand, "#tt", hand.js("document.querySelector('#captcha').textContent"))
    hand.click(SUBMIT)


@driver("text")
def visual_addition(hand: Hand) -> None:
    enter(hand, "#math-answer", str(hand.page.locator(".addition-block").count()))
    hand.click(SUBMIT)


@driver("clipboard")
def copy_paste(hand: Hand) -> None:
    copy_from(hand, "#to-copy")


@driver("clipboard")
def copy_paste_2(hand: Hand) -> None:
    copy_from(hand, f"#text-{ordinal(hand.query()) + 1}")


def copy_from(hand: Hand, source: str) -> None:
    hand.click(source)
    hand.press("Control+a")
    hand.press("Control+c")
    hand.click("#answer-input")
    hand.press("Control+v")
    hand.click(SUBMIT)


@driver("selection")
def highlight_text(hand: Hand) -> None:
    highlight(hand, "#randomText")


@driver("selection")
def highlight_text_2(hand: Hand) -> None:
    highlight(hand, f"#randomText p:nth-of-type({ordinal(hand.query()) + 1})")


def highlight(hand: Hand, selector: str) -> None:
    """Drag over the whole text, from before its first character to behind its last."""
    boxes = hand.js(
        """(css) => { const range = document.createRange(); range.selectNodeContents(document.querySelector(css));
        const all = [...range.getClientRects()]; const last = all[all.length - 1];
        return [all[0].left, all[0].top + all[0].height / 2, last.right, last.top + last.height / 2]; }""",
        selector,
    )
    hand.drag((boxes[0] + 0.5, boxes[1]), (boxes[2] + 6, boxes[3]))
    hand.click(SUBMIT)


@driver("native")
def enter_date(hand: Hand) -> None:
    month, day, year = re.search(r"(\d+)/(\d+)/(\d+)", hand.query()).groups()  # type: ignore[union-attr]
    hand.click("#tt", 0.08)
    hand.type(f"{month.zfill(2)}{day.zfill(2)}{year}")
    hand.click(SUBMIT)


@driver("native")
def enter_time(hand: Hand) -> None:
    time = re.search(r"Enter (\d+:\d+)\s*([AP]M)", hand.query())
    assert time
    hand.click("#tt", 0.08)
    hand.type(datetime.strptime(time[1], "%H:%M").strftime("%I%M") + time[2][0])
    hand.click(SUBMIT)


@driver("boxes")
def click_checkboxes(hand: Hand) -> None:
    names = re.search(r"Select (.*) and click Submit", hand.query())
    assert names
    for name in names[1].split(", "):
        if name != "nothing":
            hand.click(hand.exact("#area label", name).locator("input"))
    hand.click(SUBMIT)


click_checkboxes_transfer = driver("boxes", "click-checkboxes-transfer")(click_checkboxes)
click_checkboxes_large = driver("boxes", "click-checkboxes-large")(click_checkboxes)


@driver("boxes")
def click_option(hand: Hand) -> None:
    name = re.search(r"Select (.*) and click Submit", hand.query())
    assert name
    hand.click(hand.exact("#boxes label", name[1]), 0.8)
    hand.click(SUBMIT)


@driver("boxes")
def form_sequence_2(hand: Hand) -> None:
    radio, box = re.findall(r"the (\d)(?:st|nd|rd)", hand.query())
    hand.click(f"input[type=radio][value='{radio}']")
    enter(hand, f"#input-{box}", quoted(hand.query())[0])
    hand.click(SUBMIT)


@driver("lists")
def choose_list(hand: Hand) -> None:
    name = re.search(r"Select (.*) from the list", hand.query())
    assert name
    choose(hand, "#options", name[1])
    hand.click("#area button")


def choose(hand: Hand, select: str, label: str) -> None:
    """Native list: focus it by Tab or a press and choose by typing, as a keyboard user does."""
    hand.js("css => document.querySelector(css).focus()", select)
    here, there = hand.js(
        """([css, label]) => { const list = document.querySelector(css);
        return [list.selectedIndex, [...list.options].findIndex((option) => option.label === label)]; }""",
        [select, label],
    )
    for _ in range(abs(there - here)):
        hand.page.keyboard.press("ArrowDown" if there > here else "ArrowUp")
    if there != here:
        hand.after("select_option")


@driver("lists")
def click_scroll_list(hand: Hand) -> None:
    names = re.search(r"Select (.*) from the scroll list", hand.query())
    assert names
    for index, name in enumerate(names[1].split(", ")):
        option = hand.exact("#options option", name)
        hand.click(option, modifiers=("Control",) if index else ())
    hand.done[-len(names[1].split(", ")) :] = ["select_option"] * len(names[1].split(", "))
    hand.click("#area button")


@driver("autocomplete")
def use_autocomplete(hand: Hand) -> None:
    told = quoted(hand.query())
    items = hand.js("ITEMS")
    wanted = next(item for item in items if item.startswith(told[0]) and (len(told) < 2 or item.endswith(told[1])))
    enter(hand, "#tags", wanted[: max(len(told[0]), 3)])
    option = hand.page.locator(".ui-menu-item:visible", has_text=re.compile(f"^{re.escape(wanted)}$"))
    option.first.wait_for(state="visible")
    hand.click(option.first)
    hand.click(SUBMIT)


use_autocomplete_nodelay = driver("autocomplete", "use-autocomplete-nodelay")(use_autocomplete)


@driver("dates")
def choose_date_easy(hand: Hand) -> None:
    pick_date(hand, "#datepicker")
    hand.click(SUBMIT)


choose_date_medium = driver("dates", "choose-date-medium")(choose_date_easy)
choose_date = driver("dates", "choose-date")(choose_date_easy)


def pick_date(hand: Hand, field: str) -> None:
    month, day, _ = (int(part) for part in re.search(r"(\d+)/(\d+)/(\d+)", hand.query()).groups())  # type: ignore[union-attr]
    hand.click(field)
    hand.page.locator(".ui-datepicker-calendar").wait_for(state="visible")
    shown = "+document.querySelector('.ui-datepicker-calendar td[data-month]').dataset.month + 1"
    for _ in range(14):
        if hand.js(shown) == month:
            break
        hand.click(".ui-datepicker-prev" if hand.js(shown) > month else ".ui-datepicker-next")
    hand.click(hand.exact(".ui-datepicker-calendar a", str(day)))
    hand.page.locator(".ui-datepicker-calendar").wait_for(state="hidden")


@driver("text")
def search_engine(hand: Hand) -> None:
    found = re.search(r'enter "(.*?)" and .* the (\d+)', hand.query())
    assert found
    enter(hand, "#search-text", found[1])
    hand.click("#search")
    sheet, row = divmod(int(found[2]) - 1, 3)
    if sheet:
        hand.click(hand.page.locator("#pagination").get_by_text(str(sheet + 1), exact=True))
    hand.click(hand.page.locator("#page-content a").nth(row))


@driver("text")
def multi_orderings(hand: Hand) -> None:
    genre, name, year = re.search(r"Search for (.*) movies directed by (.*) from year (\d+)", hand.query()).groups()  # type: ignore[union-attr]
    for label, text in (("Genre", genre), ("Director", name), ("Year", year)):
        hand.click(hand.page.locator("#area tr", has=hand.page.locator("th", has_text=label)).locator("input"))
        hand.type(text)
    hand.click("#area .final")
