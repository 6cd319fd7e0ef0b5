"""Real input in a real browser: what plain HTTP cannot see (client faults, MiniWoB++ episodes, accessibility)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Playwright, expect

from recorder.browser import launch_options
from tests.benchmark.running import RunningServer

pytestmark = pytest.mark.e2e
PATIENCE = 20_000  # ms
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def browser(driver: Playwright) -> Iterator[Browser]:
    chromium = driver.chromium.launch(**launch_options())
    yield chromium
    chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    yield page
    context.close()
    assert faults == []


def enter(page: Page, prepared: dict) -> None:
    page.goto(prepared["upstream"] + prepared["start_path"])


def find_kettle(page: Page) -> None:
    page.get_by_role("searchbox", name="Search the shop").fill("kettle")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Halden stovetop kettle").click()
    page.get_by_role("radio", name="Sage green").check()


def test_kettle_clean(server: RunningServer, page: Page) -> None:
    prepared = server.prepare("kettle-to-cart")
    enter(page, prepared)
    find_kettle(page)
    page.get_by_role("button", name="Add to cart").click()
    expect(page.locator("#toast")).to_have_text("Halden stovetop kettle was added to your cart.")
    expect(page.locator("#cart-count")).to_have_text("1")
    assert server.evaluate(prepared["id"])["passed"]


def test_the_first_click_is_swallowed_and_the_second_is_not(server: RunningServer, page: Page) -> None:
    prepared = server.prepare("kettle-to-cart", "kettle-to-cart--first-click")
    enter(page, prepared)
    find_kettle(page)
    page.get_by_role("button", name="Add to cart").click()
    page.wait_for_timeout(300)
    expect(page.locator("#cart-count")).to_be_hidden()
    page.get_by_role("button", name="Add to cart").click()
    expect(page.locator("#cart-count")).to_have_text("1")
    assert server.evaluate(prepared["id"])["passed"]


def test_lost_add_is_seen_in_the_cart(server: RunningServer, page: Page) -> None:
    prepared = server.prepare("fennel-lamp", "fennel-lamp--lost-add")
    enter(page, prepared)
    for _ in range(2):
        page.goto(prepared["upstream"] + "/p/fennel-desk-lamp")
        page.get_by_role("radio", name="Brass").check()
        page.get_by_role("button", name="Add to cart").click()
        expect(page.locator("#toast")).to_have_text("Fennel desk lamp was added to your cart.")
        page.get_by_role("link", name="Cart").click()
        if page.get_by_text("Your cart is empty").count() == 0:
            break
    page.get_by_role("link", name="Go to checkout").click()
    page.get_by_role("radio", name="Office").check()
    page.get_by_role("button", name="Place order").click()
    expect(page.get_by_text("Your order has been placed")).to_be_visible()
    assert server.evaluate(prepared["id"])["passed"]


def test_the_survey_covers_the_address_book_until_declined(server: RunningServer, page: Page) -> None:
    prepared = server.prepare("moved-house", "moved-house--survey")
    enter(page, prepared)
    page.get_by_role("link", name="Address book").click()
    dialog = page.get_by_role("dialog", name="Your opinion counts")
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Start the survey").click()
    page.get_by_role("button", name="Back").click()
    page.get_by_role("button", name="Other choices").click()
    page.get_by_role("button", name="Go on without").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Make default: Office").click()
    page.get_by_role("button", name="Delete Old studio").click()
    page.get_by_role("link", name="Edit Home").click()
    for label, text in (("Street and number", "5 Juniper Court"), ("Postcode", "2093"), ("City", "Northam")):
        page.get_by_label(label).fill(text)
    page.get_by_role("button", name="Save address").click()
    expect(page.get_by_text("Saved: Home.")).to_be_visible()
    assert server.evaluate(prepared["id"])["passed"]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(server: RunningServer, page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    prepared = server.prepare("moved-house")
    enter(page, prepared)
    page.goto(prepared["upstream"] + "/p/brew-teapot")
    page.get_by_role("button", name="Add to cart").click()
    expect(page.locator("#cart-count")).to_have_text("1")
    order = server.session(prepared["id"]).tables.all("orders")[3]
    form = f"/returns/new?order={order['number']}&sku={order['items'][0]['sku']}"
    paths = ("/", "/c/textiles", "/p/brew-teapot", "/cart", "/checkout", "/orders", "/addresses", "/addresses/new")
    for path in (*paths, "/wishlist", "/returns", "/account", "/help", f"/orders/{order['number']}", form):
        page.goto(prepared["upstream"] + path)
        found = Axe().run(page).response["violations"]
        assert [(v["id"], v["nodes"][0]["html"]) for v in found] == [], path


@pytest.mark.parametrize(
    "path", ["/", "/c/lighting", "/p/brew-teapot", "/addresses", "/account", "/wishlist", "/returns"]
)
def test_narrow_pages_do_not_scroll_sideways(server: RunningServer, page: Page, path: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    prepared = server.prepare("moved-house")
    enter(page, prepared)
    page.goto(prepared["upstream"] + path)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def click_button(page: Page, told: str) -> None:
    name = re.search(r'"(.*)"', told)[1]
    page.locator("#area button", has_text=re.compile(f"^{re.escape(name)}$", re.IGNORECASE)).first.click()


def enter_text(page: Page, told: str) -> None:
    page.locator("#tt").click()
    page.keyboard.type(re.search(r'"(.*)"', told)[1])
    page.locator("#subbtn").click()


def login_user(page: Page, told: str) -> None:
    for field, text in zip(("#username", "#password"), re.findall(r'"(.*?)"', told), strict=True):
        page.locator(field).click()
        page.keyboard.type(text)
    page.locator("#subbtn").click()


def search_engine(page: Page, told: str) -> None:
    name, place = re.search(r'enter "(.*?)" and .* the (\d+)', told).groups()
    page.locator("#search-text").click()
    page.keyboard.type(name)
    page.locator("#search").click()
    sheet, row = divmod(int(place) - 1, 3)
    if sheet:
        page.locator("#pagination").get_by_text(str(sheet + 1), exact=True).click()
    page.locator("#page-content a").nth(row).click()


def book_flight(page: Page, told: str) -> None:
    kind, start, goal, date = re.match(r"Book the (\w+) one-way flight from: (.*) to: (.*) on (.*)\.", told).groups()
    for field, place in (("#flight-from", start), ("#flight-to", goal)):
        page.locator(field).click()
        page.keyboard.type(place, delay=20)
        page.locator(".ui-menu-item:visible", has_text=re.compile(re.escape(place))).first.click()
    month, day, _ = (int(part) for part in date.split("/"))
    page.locator("#datepicker").click()
    while int(page.locator(".ui-datepicker-calendar td[data-month]").first.get_attribute("data-month")) + 1 > month:
        page.locator(".ui-datepicker-prev").click()
    page.locator(".ui-datepicker-calendar a", has_text=re.compile(f"^{day}$")).click()
    page.locator("#search").click()
    page.locator(".flight-price").first.wait_for()
    cost = {"cheapest": price, "shortest": minutes}[kind]
    best = min(page.locator(".flight").all(), key=lambda flight: cost(flight.inner_text()))
    best.locator(".flight-price").click()


def price(text: str) -> int:
    return int(re.search(r"\$(\d+)", text)[1])


def minutes(text: str) -> int:
    hours, rest = (re.search(rf"(\d+){unit}\b", text) for unit in "hm")
    return 60 * int(hours[1] if hours else 0) + int(rest[1] if rest else 0)


EPISODES: dict[str, Callable[[Page, str], None]] = {
    "click-button": click_button,
    "enter-text": enter_text,
    "login-user": login_user,
    "search-engine": search_engine,
    "book-flight": book_flight,
}


def told(server: RunningServer, page: Page, prepared: dict) -> str:
    with page.expect_response("**/miniwob-report"):
        enter(page, prepared)
    return server.control("GET", f"/control/miniwob/sessions/{prepared['id']}")[1]["instruction"]


@pytest.mark.parametrize("task", EPISODES)
def test_a_miniwob_episode_by_real_input(server: RunningServer, page: Page, task: str) -> None:
    prepared = server.prepare(task, site="miniwob", seed=11)
    instruction = told(server, page, prepared)
    assert instruction == page.evaluate("core.getUtterance()")
    with page.expect_response("**/miniwob-report"):
        EPISODES[task](page, instruction)
    expect(page.locator("#sync-task-cover")).to_have_text("DONE")
    assert page.evaluate("WOB_RAW_REWARD_GLOBAL") == 1
    verdict = server.evaluate(prepared["id"])
    assert (verdict["score"], verdict["passed"], verdict["source"]) == (1.0, True, "page")


def test_same_seed_same_episode_and_the_second_try_does_not_count(server: RunningServer, page: Page) -> None:
    first, second, other = (server.prepare("login-user", site="miniwob", seed=seed) for seed in (3, 3, 4))
    assert told(server, page, other) != told(server, page, first)
    instruction = told(server, page, second)
    assert instruction == server.control("GET", f"/control/miniwob/sessions/{first['id']}")[1]["instruction"]
    with page.expect_response("**/miniwob-report"):
        page.locator("#subbtn").click()
    page.reload()
    expect(page.locator("#sync-task-cover")).to_be_visible()
    assert page.evaluate("core.EPISODE_MAX_TIME") == 86_400_000
    assert not server.evaluate(second["id"])["passed"]
