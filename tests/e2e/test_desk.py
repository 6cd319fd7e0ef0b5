"""The lead's desk in a real browser: the queue by keys alone, the timeline and its lists, and every page by axe."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from annotate.actions import rounds
from annotate.models import Assignment, Review, ReviewItem
from tasks_admin.operate import annotator
from tests.e2e.conftest import Site
from tests.e2e.test_pages import look_at
from tests.recorded import recorded_round

pytestmark = pytest.mark.e2e
MANY = [f"Button {n % 17}" for n in range(900)]


@pytest.fixture
def queue(site: Site) -> list[ReviewItem]:
    """Two rounds of P1 with comments: one of 900 presses, one of three."""
    mine = Assignment.objects.filter(participation__code="P1", role="primary").order_by("position")
    for assignment, cold in zip(mine, (MANY, ["Add", "Note", "Pay"]), strict=False):
        made = recorded_round(assignment, {"cold": cold, "warm": ["Add", "Pay"]}, seconds=450)
        rounds.rate(made, {}, "It was odd.")
    return list(ReviewItem.objects.order_by("pk"))


def test_the_queue_by_keys(site: Site, page: Page, queue: list[ReviewItem]) -> None:
    annotator.sign_in(page, site.link(site.lead))
    page.goto(f"{site.url}/studies/sample/review/")
    page.keyboard.press("j")
    page.wait_for_url(re.compile(rf"/review/{queue[0].pk}/"))
    expect(page.locator("#claim")).to_contain_text("Yours until")
    page.keyboard.press("x")
    expect(page.locator("#reason")).to_be_focused()
    expect(page.locator("#reason-help")).to_contain_text("why figures leave this round out")
    page.keyboard.type("a, s and x are letters here")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(rf"/review/{queue[1].pk}/"))
    expect(page.get_by_text("Kept: excluded from figures.")).to_be_visible()
    expect(page.locator("#claim")).to_contain_text("Yours until")
    page.keyboard.press("c")
    page.wait_for_url(re.compile("attempt=cold"))
    page.keyboard.press("?")
    expect(page.locator("#help")).to_contain_text("Exclude from figures")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.wait_for_url(re.compile(r"/review/\?"))
    assert [(one.decision, one.reason) for one in Review.objects.order_by("pk")] == [
        ("exclude", "a, s and x are letters here"),
        ("accept", ""),
    ]


def test_the_timeline_the_lists_and_a_deep_link(site: Site, page: Page, queue: list[ReviewItem]) -> None:
    cold = queue[0].round.attempts.get(kind="cold")
    annotator.sign_in(page, site.link(site.lead))
    page.goto(f"{site.url}/studies/sample/attempts/{cold.pk}/#t=10.0")
    expect(page.locator("#now")).to_have_text("0:10.0")
    raw, steps = page.locator("#raw"), page.locator("#steps")
    expect(raw.locator(".chosen")).to_be_visible()
    assert raw.locator(".line").count() < 80  # of 900: only what is in view exists
    steps.focus()
    page.keyboard.press("End")
    expect(steps.locator(".chosen")).to_have_attribute("data-index", "899")
    expect(raw.locator(".lit")).to_have_attribute("data-index", "899")
    raw.focus()
    page.keyboard.press("Home")
    expect(steps.locator(".chosen")).to_have_attribute("data-index", "0")
    page.keyboard.press("Enter")
    expect(page.locator("#whole pre")).to_contain_text('"name": "Button 0"')
    track = page.locator("#track")
    track.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#now")).to_have_text("0:01.0")
    assert page.url.endswith("#t=1.0")
    page.keyboard.press("End")
    page.keyboard.press("PageUp")
    expect(page.locator("#now")).to_have_text("7:20.0")
    page.locator("#speed").select_option("16")
    page.locator("#play").click()
    expect(page.locator("#now")).to_have_text("7:30.0")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")


def test_the_desks_pages_are_sound(site: Site, page: Page, queue: list[ReviewItem]) -> None:
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    annotator.sign_in(page, site.link(site.lead))
    first = queue[1].round.attempts.get(kind="cold").pk
    for path in (
        "review/",
        f"review/{queue[1].pk}/?attempt=cold",
        "review/rules/",
        "audit/",
        "references/",
        "duplicates/",
        "between-people/",
        "power/",
        "labels/",
        f"labels/{first}/",
    ):
        page.goto(f"{site.url}/studies/sample/{path}")
        faults += look_at(page, path)
    assert faults == []
