"""Drivers of the component pages: what each asks for stands on the page."""

from __future__ import annotations

from playwright.sync_api import Locator

from tests.bench.fidelity.hand import KEY_MS, Hand
from tests.bench.fidelity.registry import component

LATER_MS = 250  # an animation that a person waits for


def text(hand: Hand, words: str, within: str = "body") -> Locator:
    """The visible element whose own text is that, the innermost and last, for popups come last."""
    found = hand.page.locator(within).get_by_text(words, exact=True).locator("visible=true")
    found.last.wait_for(state="visible")
    hand.page.wait_for_timeout(LATER_MS)
    return found.last


def pick(hand: Hand, opener: str, *options: str) -> None:
    """Open a list and click options by their texts."""
    hand.click(opener)
    for option in options:
        hand.click(text(hand, option))


def type_into(hand: Hand, where: str, words: str) -> None:
    hand.click(where)
    hand.type(words)


# Ant Design


@component("antd", "selects")
def antd_select(hand: Hand) -> None:
    hand.click(".ant-select")
    option = hand.page.locator(".ant-select-item-option[title=Mango]")
    option.wait_for(state="attached")
    hand.page.wait_for_timeout(LATER_MS)
    hand.wheel(".ant-select-item-option >> nth=3", 200)
    hand.click(option)


@component("antd", "selects")
def antd_select_search(hand: Hand) -> None:
    type_into(hand, ".ant-select", "qui")
    hand.press("Enter")


@component("antd", "selects")
def antd_select_multiple(hand: Hand) -> None:
    pick(hand, ".ant-select", "Banana", "Fig")


@component("antd", "dates")
def antd_date_picker(hand: Hand) -> None:
    hand.click(".ant-picker-input input")
    hand.page.locator("td[title='2024-03-17']").wait_for(state="visible")
    hand.page.wait_for_timeout(LATER_MS)
    hand.click(".ant-picker-header-next-btn")
    hand.click(".ant-picker-header-next-btn")
    hand.click("td[title='2024-05-17']")


@component("antd", "dates")
def antd_range_picker(hand: Hand) -> None:
    hand.click(".ant-picker-input input")
    hand.page.locator("td[title='2024-03-05']").first.wait_for(state="visible")
    hand.page.wait_for_timeout(LATER_MS)
    hand.click("td[title='2024-03-05']")
    hand.page.wait_for_timeout(LATER_MS)
    hand.click("td[title='2024-03-12']")


@component("antd", "dates")
def antd_time_picker(hand: Hand) -> None:
    hand.click(".ant-picker-input input")
    column = ".ant-picker-time-panel-column >> nth={} >> .ant-picker-time-panel-cell-inner >> text='{}'"
    hand.page.locator(column.format(0, "04")).wait_for(state="visible")
    hand.page.wait_for_timeout(LATER_MS)
    hand.click(column.format(0, "04"))
    hand.page.wait_for_timeout(LATER_MS)
    hand.click(column.format(1, "07"))
    hand.page.wait_for_timeout(LATER_MS)
    hand.click(".ant-picker-ok button")


def slide_to(hand: Hand, handle: str, track: str, share: float) -> None:
    x, y = hand.spot(track, share, 0.5)
    hand.drag(handle, (x, y))


@component("antd", "sliders")
def antd_slider(hand: Hand) -> None:
    slide_to(hand, ".ant-slider-handle", ".ant-slider", 0.64)


@component("antd", "sliders")
def antd_range_slider(hand: Hand) -> None:
    slide_to(hand, ".ant-slider-handle-2", ".ant-slider", 0.8)
    slide_to(hand, ".ant-slider-handle-1", ".ant-slider", 0.3)


@component("antd", "trees")
def antd_tree_select(hand: Hand) -> None:
    hand.click(".ant-select")
    for name in ("South", "Hill"):
        row = hand.page.locator(".ant-select-tree-treenode", has_text=name)
        row.first.wait_for(state="visible")
        hand.page.wait_for_timeout(LATER_MS)
        hand.click(row.first.locator(".ant-select-tree-switcher"))
    hand.page.wait_for_timeout(LATER_MS)
    hand.click(text(hand, "Farm"))


@component("antd", "trees")
def antd_cascader(hand: Hand) -> None:
    pick(hand, ".ant-cascader", "North", "Lake", "Isle")


@component("antd", "transfer")
def antd_transfer(hand: Hand) -> None:
    for name in ("Cherry", "Kiwi"):
        item = hand.page.locator(".ant-transfer-list-content-item", has_text=name)
        box, area = item.bounding_box(), hand.page.locator(".ant-transfer-list-content").first.bounding_box()
        assert box
        assert area
        if box["y"] + box["height"] > area["y"] + area["height"]:
            hand.wheel(".ant-transfer-list-content >> nth=0", 200)
        hand.click(item.locator("input"))
    hand.click(hand.page.locator("[class*=ant-transfer-] button:has(.anticon-right)").last)


@component("antd", "drags")
def antd_splitter(hand: Hand) -> None:
    x, y = hand.spot(".ant-splitter-bar")
    hand.drag((x, y), (x + 150, y))


@component("antd", "pointer")
def antd_rate(hand: Hand) -> None:
    hand.click(".ant-rate-star >> nth=3", 0.8)


@component("antd", "pointer")
def antd_input_number(hand: Hand) -> None:
    hand.hover(".ant-input-number")
    for _ in range(3):
        hand.click("[class*=ant-input-number-][class*=-up] >> visible=true")


@component("antd", "selects")
def antd_auto_complete(hand: Hand) -> None:
    type_into(hand, ".ant-select input", "ap")
    hand.click(text(hand, "Apricot"))


@component("antd", "text")
def antd_mentions(hand: Hand) -> None:
    type_into(hand, ".ant-mentions textarea", "ask @l")
    hand.click(text(hand, "lena"))


@component("antd", "drags")
def antd_tree_drag(hand: Hand) -> None:
    hand.drag(
        ".ant-tree-node-content-wrapper:has-text('Pear')", ".ant-tree-node-content-wrapper:has-text('Basket')", moves=18
    )


@component("antd", "menus")
def antd_dropdown(hand: Hand) -> None:
    hand.hover("a[href='#more']")
    hand.click(text(hand, "Archive"))


@component("antd", "dialogs")
def antd_popconfirm(hand: Hand) -> None:
    hand.click("button.ant-btn-dangerous")
    hand.click(text(hand, "Delete now"))


@component("antd", "tables")
def antd_table(hand: Hand) -> None:
    hand.click("th:has-text('Price')")
    for row in (0, 1):
        hand.click(f"tbody tr.ant-table-row >> nth={row} >> input")


@component("antd", "menus")
def antd_tabs_switch(hand: Hand) -> None:
    hand.click(text(hand, "Second"))
    hand.click(".ant-switch >> visible=true")


# MUI


@component("mui", "selects")
def mui_select(hand: Hand) -> None:
    pick(hand, "[role=combobox]", "Ghent")


@component("mui", "selects")
def mui_autocomplete(hand: Hand) -> None:
    type_into(hand, "input", "ev")
    hand.click(text(hand, "Evora"))


@component("mui", "selects")
def mui_autocomplete_multiple(hand: Hand) -> None:
    type_into(hand, "input", "cor")
    hand.press("ArrowDown")
    hand.press("Enter")
    hand.type("jen")
    hand.click(text(hand, "Jena"))


@component("mui", "sliders")
def mui_slider(hand: Hand) -> None:
    slide_to(hand, ".MuiSlider-thumb", ".MuiSlider-rail", 0.7)


@component("mui", "sliders")
def mui_range_slider(hand: Hand) -> None:
    slide_to(hand, ".MuiSlider-thumb >> nth=1", ".MuiSlider-rail", 0.6)
    slide_to(hand, ".MuiSlider-thumb >> nth=0", ".MuiSlider-rail", 0.25)


@component("mui", "dates")
def mui_date_calendar(hand: Hand) -> None:
    for _ in range(2):
        hand.click("button[aria-label='Next month']")
        hand.page.wait_for_timeout(600)
    hand.click(hand.exact("button[role=gridcell]", "9"))


@component("mui", "dates")
def mui_date_field(hand: Hand) -> None:
    hand.click("[role=spinbutton] >> nth=0")
    hand.type("07142024")


@component("mui", "pointer")
def mui_rating(hand: Hand) -> None:
    hand.click(".MuiRating-root label >> nth=2")


@component("mui", "pointer")
def mui_boxes(hand: Hand) -> None:
    hand.click("label:has-text('Milk')", 0.8)
    hand.click("label:has-text('Express')", 0.2)


@component("mui", "menus")
def mui_menu(hand: Hand) -> None:
    pick(hand, "button:has-text('Options')", "Billing")


@component("mui", "dialogs")
def mui_dialog(hand: Hand) -> None:
    pick(hand, "button:has-text('Publish')", "Yes")


@component("mui", "text")
def mui_text(hand: Hand) -> None:
    type_into(hand, "textarea >> nth=0", "red\nblue")


@component("mui", "menus")
def mui_accordion(hand: Hand) -> None:
    hand.click("button:has-text('Shipping')")
    hand.page.wait_for_timeout(500)
    hand.click(text(hand, "Fast"))


# Mantine


@component("mantine", "selects")
def mantine_select(hand: Hand) -> None:
    pick(hand, "input", "Heron")


@component("mantine", "selects")
def mantine_select_search(hand: Hand) -> None:
    type_into(hand, "input", "du")
    hand.press("ArrowDown")
    hand.press("Enter")


@component("mantine", "selects")
def mantine_multi_select(hand: Hand) -> None:
    pick(hand, "input >> visible=true", "Crane", "Gull")


@component("mantine", "dates")
def mantine_date_picker(hand: Hand) -> None:
    hand.click("button[data-direction=next]")
    hand.click("button[aria-label='22 October 2024']")


@component("mantine", "dates")
def mantine_date_range(hand: Hand) -> None:
    hand.click("button[aria-label='3 September 2024']")
    hand.click("button[aria-label='10 September 2024']")


@component("mantine", "dates")
def mantine_date_input(hand: Hand) -> None:
    type_into(hand, "input >> nth=0", "2024-11-05")
    hand.press("Tab")


@component("mantine", "native")
def mantine_time_input(hand: Hand) -> None:
    hand.click("input[type=time]", 0.1)
    hand.type("0645P")


@component("mantine", "sliders")
def mantine_slider(hand: Hand) -> None:
    slide_to(hand, ".mantine-Slider-thumb", ".mantine-Slider-trackContainer", 0.4)


@component("mantine", "sliders")
def mantine_range_slider(hand: Hand) -> None:
    slide_to(hand, ".mantine-RangeSlider-thumb >> nth=1", ".mantine-RangeSlider-trackContainer", 0.7)
    slide_to(hand, ".mantine-RangeSlider-thumb >> nth=0", ".mantine-RangeSlider-trackContainer", 0.2)


@component("mantine", "sliders")
def mantine_angle_slider(hand: Hand) -> None:
    hand.drag(hand.spot(".mantine-AngleSlider-root", 0.5, 0.05), hand.spot(".mantine-AngleSlider-root", 0.95, 0.5))


@component("mantine", "drags")
def mantine_color_picker(hand: Hand) -> None:
    hand.drag(
        hand.spot(".mantine-ColorPicker-saturation", 0.1, 0.1), hand.spot(".mantine-ColorPicker-saturation", 0.95, 0.3)
    )


@component("mantine", "pointer")
def mantine_rating(hand: Hand) -> None:
    hand.click(".mantine-Rating-root .mantine-Rating-symbolGroup >> nth=1")


@component("mantine", "pointer")
def mantine_segmented(hand: Hand) -> None:
    hand.click("label:has-text('Week')")


@component("mantine", "menus")
def mantine_menu_hover(hand: Hand) -> None:
    hand.hover("button:has-text('Tools')")
    hand.click(text(hand, "Measure"))


@component("mantine", "menus")
def mantine_hover_card(hand: Hand) -> None:
    hand.hover("span:has-text('Ada')")
    hand.click(text(hand, "Follow"))


@component("mantine", "text")
def mantine_tags(hand: Hand) -> None:
    hand.click("input >> visible=true")
    for tag in ("sea", "salt"):
        hand.type(tag)
        hand.press("Enter")


@component("mantine", "text")
def mantine_pin(hand: Hand) -> None:
    type_into(hand, "input >> nth=0", "4071")


@component("mantine", "text")
def mantine_number(hand: Hand) -> None:
    type_into(hand, "input", "12.5")


@component("mantine", "pointer")
def mantine_pagination(hand: Hand) -> None:
    hand.click(text(hand, "5"))
    hand.click(text(hand, "6"))
    hand.click(text(hand, "7"))


@component("mantine", "pointer")
def mantine_chips(hand: Hand) -> None:
    hand.click("label:has-text('Crane')")
    hand.click("label:has-text('Ibis')")


# Rich text, drag and drop


@component("editors", "rich text")
def tiptap_bold(hand: Hand) -> None:
    type_into(hand, ".tiptap", "plain ")
    hand.press("Control+b")
    hand.type("bold")


@component("editors", "rich text")
def tiptap_list(hand: Hand) -> None:
    hand.click(".tiptap")
    hand.click("button:has-text('List')")
    hand.type("one\ntwo")


@component("editors", "rich text")
def tiptap_correct(hand: Hand) -> None:
    hand.click(".tiptap")
    hand.page.keyboard.type("cat", delay=KEY_MS)
    hand.page.keyboard.press("Backspace")
    hand.type("r")


@component("editors", "rich text")
def quill_bold(hand: Hand) -> None:
    type_into(hand, ".ql-editor", "note")
    hand.press("Control+a")
    hand.click(".ql-bold")


@component("editors", "rich text")
def quill_list(hand: Hand) -> None:
    hand.click(".ql-editor")
    hand.click(".ql-list")
    hand.type("salt\noil")


@component("editors", "drag and drop")
def dnd_sortable(hand: Hand) -> None:
    x, y = hand.spot("li:has-text('Gamma')")
    hand.drag("li:has-text('Alpha')", (x, y + 4), moves=20)
    hand.page.wait_for_timeout(LATER_MS)


@component("editors", "drag and drop")
def dnd_bins(hand: Hand) -> None:
    hand.drag("text='Card'", "text='Done'", moves=20)


@component("editors", "drag and drop")
def html5_lists(hand: Hand) -> None:
    for name in ("Tea", "Salt"):
        hand.drag(f"#left >> text='{name}'", "#right", moves=16)
