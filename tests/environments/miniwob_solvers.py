"""A solver per MiniWoB++ task: what a person does, who reads the page and acts by mouse and keyboard only."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page

Solve = Callable[[Page], None]
SOLVERS: dict[str, Solve] = {}


def solves(*names: str) -> Callable[[Solve], Solve]:
    """Register a solver under the names of its tasks."""

    def register(function: Solve) -> Solve:
        SOLVERS.update(dict.fromkeys(names, function))
        return function

    return register


def asked(page: Page) -> str:
    """The instruction in the yellow box."""
    return " ".join((page.locator("#query").text_content() or "").split())


def quoted(page: Page) -> list[str]:
    return re.findall(r'"([^"]*)"', asked(page))


def submit(page: Page) -> None:
    page.locator("#subbtn, #submit, button:text-is('Submit')").first.click()


def enter(page: Page, text: str, field: str = "#tt") -> None:
    page.locator(field).click()
    page.keyboard.type(text)
    submit(page)


def exactly(page: Page, css: str, text: str) -> Locator:
    return page.locator(css).filter(has_text=re.compile(f"^\\s*{re.escape(text)}\\s*$")).first


def drag(page: Page, begin: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*begin)
    page.mouse.down()
    for step in range(1, 9):
        part = step / 8
        page.mouse.move(begin[0] + (end[0] - begin[0]) * part, begin[1] + (end[1] - begin[1]) * part)
    page.mouse.up()


def middle(locator: Locator) -> tuple[float, float]:
    box = locator.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@solves("click-test", "click-test-transfer")
def click_the_button(page: Page) -> None:
    page.locator("#area button").first.click()


@solves("click-test-2")
def click_one_of_two(page: Page) -> None:
    exactly(page, "#area button", re.findall(r"button (\w+)", asked(page))[0]).click()


@solves("click-button", "unicode-test")
def click_the_named_button(page: Page) -> None:
    exactly(page, "#area button", quoted(page)[0]).click()


@solves("click-link")
def click_the_named_link(page: Page) -> None:
    exactly(page, ".alink", quoted(page)[0]).click()


@solves("click-tab")
def click_the_tab(page: Page) -> None:
    number = re.findall(r"#(\d+)", asked(page))[0]
    page.locator(f"#area ul a:text-is('Tab #{number}')").click()


@solves("click-tab-2", "click-tab-2-easy", "click-tab-2-medium", "click-tab-2-hard")
def find_the_link_in_a_tab(page: Page) -> None:
    for tab in page.locator("#area > ul a").all():
        tab.click()
        link = exactly(page, ".alink:visible", quoted(page)[0])
        if link.count():
            link.click()
            return


@solves("click-checkboxes", "click-checkboxes-large", "click-checkboxes-transfer")
def tick_the_boxes(page: Page) -> None:
    words = asked(page).removeprefix("Select ").partition(" and click")[0]
    for label in page.locator("#boxes label, #area label").all():
        if (label.text_content() or "").strip() in words.split(", "):
            label.locator("input").click()
    submit(page)


@solves("click-option")
def choose_the_option(page: Page) -> None:
    word = asked(page).removeprefix("Select ").partition(" and click")[0]
    exactly(page, "#area label", word).locator("input").click()
    submit(page)


@solves("click-collapsible", "click-collapsible-nodelay")
def expand_and_submit(page: Page) -> None:
    page.locator("#area h3").click()
    page.locator(".ui-accordion-content").wait_for(state="visible")
    submit(page)


@solves("click-dialog")
def close_the_dialog(page: Page) -> None:
    page.locator("button.ui-button").click()


@solves("click-dialog-2")
def press_in_the_dialog(page: Page) -> None:
    word = quoted(page)[0]
    css = ".ui-dialog-titlebar button" if word == "x" else f".ui-dialog-buttonset button:text-is('{word}')"
    page.locator(css).click()


@solves("click-widget")
def click_the_kind(page: Page) -> None:
    page.locator(f"[data-type='{quoted(page)[0]}']").first.click()


@solves("click-menu")
def open_menus(page: Page) -> None:
    for name in asked(page).removeprefix("Select ").split(">"):
        item = exactly(page, "#menu div", name)
        item.wait_for(state="visible")
        item.hover()
    item.click()


@solves("click-scroll-list")
def choose_in_a_list(page: Page) -> None:
    words = asked(page).removeprefix("Select ").partition(" from the")[0].split(", ")
    modifiers: list[str] = []
    for word in words:
        option = exactly(page, "#options option", word)
        option.scroll_into_view_if_needed()
        option.click(modifiers=modifiers)  # type: ignore[arg-type]
        modifiers = ["Control"]
    submit(page)


@solves("choose-list")
def choose_from_a_select(page: Page) -> None:
    word = asked(page).removeprefix("Select ").partition(" from the")[0]
    page.locator("#options").focus()
    options = [(one.text_content() or "").strip() for one in page.locator("#options option").all()]
    for _ in range(options.index(word)):
        page.keyboard.press("ArrowDown")
    submit(page)


@solves("enter-text", "enter-text-dynamic")
def enter_the_text(page: Page) -> None:
    enter(page, quoted(page)[0])


@solves("enter-text-2")
def enter_in_case(page: Page) -> None:
    word = quoted(page)[0]
    enter(page, word.upper() if "upper" in asked(page) else word.lower())


@solves("enter-password")
def enter_twice(page: Page) -> None:
    page.locator("#password").click()
    page.keyboard.type(quoted(page)[0])
    enter(page, quoted(page)[0], "#verify")


@solves("enter-date")
def enter_the_date(page: Page) -> None:
    page.locator("#tt").focus()
    page.keyboard.type(re.findall(r"\d+/\d+/\d+", asked(page))[0].replace("/", ""))
    submit(page)


@solves("enter-time")
def enter_the_time(page: Page) -> None:
    hour, minute, half = re.findall(r"(\d+):(\d+)\s*([AP]M)", asked(page))[0]
    page.locator("#tt").focus()
    page.keyboard.type(f"{int(hour):02}{minute}{half}")
    submit(page)


@solves("login-user", "login-user-popup")
def log_in(page: Page) -> None:
    name, password = quoted(page)[:2]
    page.locator("#username").click()
    page.keyboard.type(name)
    page.locator("#password").click()
    page.keyboard.type(password)
    submit(page)


@solves("focus-text")
def focus_the_field(page: Page) -> None:
    page.locator("#tt").click()


@solves("focus-text-2")
def focus_the_nth_field(page: Page) -> None:
    number = re.findall(r"(\d)(?:st|nd|rd|th)", asked(page))[0]
    page.locator(f"#area input >> nth={int(number) - 1}").click()


def copy_over(page: Page, source: str) -> None:
    page.locator(source).click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    page.locator("#answer-input").click()
    page.keyboard.press("Control+v")
    submit(page)


@solves("copy-paste")
def copy_and_paste(page: Page) -> None:
    copy_over(page, "#to-copy")


@solves("copy-paste-2")
def copy_the_nth_and_paste(page: Page) -> None:
    number = re.findall(r"(\d)(?:st|nd|rd)", asked(page))[0]
    copy_over(page, f"#text-{number}")


def slide(page: Page, slider: str, shown: str, wanted: int) -> None:
    page.locator(f"{slider} .ui-slider-handle").focus()
    now = int(page.locator(shown).text_content() or "0")
    for _ in range(abs(wanted - now)):
        page.keyboard.press("ArrowRight" if wanted > now else "ArrowLeft")


@solves("use-slider")
def slide_one(page: Page) -> None:
    slide(page, "#slider", "#val", int(re.findall(r"-?\d+", asked(page))[0]))
    submit(page)


@solves("use-slider-2")
def slide_three(page: Page) -> None:
    for number, wanted in enumerate(re.findall(r"\d+", asked(page)), start=1):
        slide(page, f"#slider-{number}", f"#val-{number}", int(wanted))
    submit(page)


@solves("use-spinner")
def spin(page: Page) -> None:
    wanted = int(re.findall(r"-?\d+", asked(page))[0])
    for _ in range(abs(wanted)):
        page.locator(".ui-spinner-up" if wanted > 0 else ".ui-spinner-down").click()
    submit(page)


@solves("grid-coordinate")
def click_the_coordinate(page: Page) -> None:
    name = re.findall(r"\(-?\d,-?\d\)", asked(page))[0]
    page.mouse.click(*middle(page.locator(f"circle[id='{name}']")))


@solves("find-word")
def find_the_nth_word(page: Page) -> None:
    number = int(re.findall(r"(\d+)(?:st|nd|rd|th)", asked(page))[0])
    words = (page.locator("#area p").text_content() or "").split()
    enter(page, re.sub(r"\W", "", words[number - 1]), "#answer-input")


@solves("scroll-text")
def find_the_last_word(page: Page) -> None:
    page.locator("#text-area").hover()
    page.mouse.wheel(0, 4000)
    words = page.locator("#text-area").input_value().split()
    enter(page, re.sub(r"\W", "", words[-1]), "#answer-input")


@solves("scroll-text-2")
def scroll_to_an_end(page: Page) -> None:
    page.locator("#text-area").hover()
    page.mouse.wheel(0, 6000 if "bottom" in asked(page) else -6000)
    end = "el.scrollTop + el.clientHeight >= el.scrollHeight - 2" if "bottom" in asked(page) else "el.scrollTop <= 1"
    page.wait_for_function(f"(() => {{ const el = document.getElementById('text-area'); return {end}; }})()")
    submit(page)


@solves("simple-arithmetic")
def calculate(page: Page) -> None:
    left, sign, right = re.findall(r"(\d+)\s*([-+x×*])\s*(\d+)", page.locator("#math-problem").text_content() or "")[0]
    answers = {"+": int(left) + int(right), "-": int(left) - int(right)}
    enter(page, str(answers.get(sign, int(left) * int(right))), "#math-answer")


@solves("simple-algebra")
def solve_for_x(page: Page) -> None:
    left, sign, right, total = re.findall(
        r"(x|\d+) ([-+]) (x|\d+) = (-?\d+)", page.locator("#math-problem").text_content() or ""
    )[0]
    if sign == "+":
        answer = int(total) - int(right if left == "x" else left)
    else:
        answer = int(total) + int(right) if left == "x" else int(left) - int(total)
    enter(page, str(answer), "#math-answer")


@solves("visual-addition")
def count_blocks(page: Page) -> None:
    enter(page, str(page.locator(".addition-block").count()), "#math-answer")


@solves("odd-or-even")
def mark_numbers(page: Page) -> None:
    for row in page.locator("#area .row").all():
        odd = int(row.locator(".display-number").text_content() or "0") % 2
        row.locator(".odd" if odd else ".even").click()
    submit(page)


@solves("read-table")
def look_up(page: Page) -> None:
    key = re.findall(r"value of (.+?) into", asked(page))[0]
    row = page.locator("#tab tr").filter(has=page.locator(f"td:first-child:text-is('{key}')"))
    enter(page, (row.locator("td").nth(1).text_content() or "").strip())


@solves("text-transform")
def read_twisted_text(page: Page) -> None:
    enter(page, page.locator("#captcha").text_content() or "")


@solves("generate-number")
def generate_until_it_fits(page: Page) -> None:
    words = asked(page).lower()
    bound = [int(number) for number in re.findall(r"\d+", words)]
    fits: Callable[[int], bool] = lambda n: (  # noqa: E731
        n % 2 == 1
        if "odd" in words
        else n % 2 == 0
        if "even" in words
        else n < bound[0]
        if "less" in words
        else n > bound[0]
    )
    for _ in range(200):
        page.locator("#generate").click()
        if fits(int(page.locator("#display-number").text_content() or "0")):
            break
    submit(page)


@solves("drag-box")
def drag_into_the_box(page: Page) -> None:
    drag(page, middle(page.locator("#draggableSmall")), middle(page.locator("#draggableLarge")))
    submit(page)


@solves("drag-sort-numbers")
def sort_by_dragging(page: Page) -> None:
    for place in range(12):
        numbers = [int(one) for one in page.locator("#sortable li div").all_text_contents()]
        if numbers == sorted(numbers):
            break
        target = next(
            place for place, (have, want) in enumerate(zip(numbers, sorted(numbers), strict=True)) if have != want
        )
        source = numbers.index(sorted(numbers)[target], target)
        items = page.locator("#sortable li")
        x, y = middle(items.nth(target))
        height = (items.nth(target).bounding_box() or {"height": 0})["height"]
        drag(page, middle(items.nth(source)), (x, y - height * 0.4 - place % 2))
    submit(page)


@solves("resize-textarea")
def resize(page: Page) -> None:
    larger = 1 if "larger" in asked(page) else -1
    box = page.locator("#tt").bounding_box()
    assert box is not None
    corner = (box["x"] + box["width"] - 4, box["y"] + box["height"] - 4)
    by = 20 * larger
    end = (corner[0] + by, corner[1]) if "width" in asked(page) else (corner[0], corner[1] + by)
    drag(page, corner, end)
    submit(page)


@solves("circle-center")
def click_the_centre(page: Page) -> None:
    page.mouse.click(*middle(page.locator("#svg-grid .black-circle")))
    submit(page)


@solves("drag-single-shape")
def drag_a_shape(page: Page) -> None:
    x, y = middle(page.locator("#area svg > *").first)
    dx, dy = {"left": (-25, 0), "right": (25, 0), "up": (0, -25), "down": (0, 25)}[asked(page).split()[3]]
    drag(page, (x, y), (x + dx, y + dy))
    submit(page)


@solves("click-color")
def click_the_colour(page: Page) -> None:
    colour = re.findall(r"Click on the (\S+) colored", page.evaluate("core.getUtterance()"))[0]
    page.locator(f"#area [data-color='{colour}']").first.click()


@solves("navigate-tree")
def walk_the_tree(page: Page) -> None:
    name = quoted(page)[0]
    for _ in range(30):
        wanted = page.locator(f"#tree span:text-is('{name}'):visible")
        if wanted.count():
            wanted.first.click()
            return
        page.locator("#tree li.expandable > .folder:visible, #tree li.expandable > .hitarea:visible").first.click()


@solves("use-autocomplete", "use-autocomplete-nodelay")
def complete(page: Page) -> None:
    words = quoted(page)
    page.locator("#tags").click()
    page.keyboard.type(words[0])
    page.locator(".ui-menu-item:visible").first.wait_for()
    for item in page.locator(".ui-menu-item:visible").all():
        text = (item.text_content() or "").strip()
        if text.startswith(words[0]) and (len(words) < 2 or text.endswith(words[1])):
            item.click()
            break
    submit(page)


@solves("search-engine")
def search(page: Page) -> None:
    words = quoted(page)[0]
    number = int(re.findall(r"(\d+)(?:st|nd|rd|th)", asked(page))[0])
    page.locator("#search-text").click()
    page.keyboard.type(words)
    page.locator("#search").click()
    links = page.locator("#page-content .search-title")
    links.first.wait_for()
    each = links.count()
    for _ in range((number - 1) // each):
        page.locator("#pagination .next a, #pagination li.next a").first.click()
    links.nth((number - 1) % each).click()


@solves("form-sequence")
def slider_box_and_submit(page: Page) -> None:
    wanted, box = re.findall(r"Select (-?\d+) with the slider, click the (\d)", asked(page))[0]
    slide(page, "#slider", "#val", int(wanted))
    page.locator(f"#area input[type=checkbox] >> nth={int(box) - 1}").click()
    submit(page)


@solves("email-inbox-delete")
def delete_a_mail(page: Page) -> None:
    name = re.findall(r"(?:by|from) (\w+)", asked(page))[0]
    page.locator(f"#main .email-thread:has(.email-sender:text-is('{name}')) .trash").first.click()
