"""As the person saw it: a real round with capture, and its player in the attempt page, bound to the timeline both ways."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, FrameLocator, Page, expect

from annotate.models import Attempt, Study
from recorder.capture.query import pages_of
from tasks_admin.operate import annotator
from tests.e2e.conftest import Site, until

pytestmark = pytest.mark.e2e


@pytest.fixture
def captured(site: Site, working: Page) -> Attempt:
    """The practice, cold and warm, in a study that keeps pages as they were seen."""
    study = Study.objects.get()
    Study.objects.filter(pk=study.pk).update(options={**study.options, "capture": True})
    annotator.do_round(working, annotator.put_kettle_into_cart)
    attempt = Attempt.objects.get(kind="cold")
    recording = attempt.recording
    assert recording is not None
    until(lambda: all(page.row.ended for page in pages_of(recording)))
    return attempt


def test_the_capture_in_the_attempt_page(site: Site, captured: Attempt, context: BrowserContext) -> None:
    assert captured.recording is not None
    pages = pages_of(captured.recording)
    assert (pages[0].missing, pages[-1].missing) == (
        "",
        "",
    )  # one that is left at once, on a busy machine, may have lost its end
    assert captured.proof_complete
    lead = context.browser.new_context(viewport={"width": 1280, "height": 900}).new_page()  # type: ignore[union-attr]
    asked: list[str] = []
    lead.on("request", lambda request: asked.append(request.url))
    annotator.sign_in(lead, site.link(site.lead))
    lead.goto(f"{site.url}/studies/sample/attempts/{captured.pk}/")
    lead.keyboard.press("v")
    player = lead.frame_locator("#seen iframe")
    inside = player.locator(".rr-player iframe:visible").content_frame
    follow_the_timeline(lead, player, inside, pages[-1].last)
    play_to_the_end(lead, inside)
    assert [url for url in asked if not url.startswith((site.url, "data:"))] == []
    lead.context.close()


def follow_the_timeline(lead: Page, player: FrameLocator, inside: FrameLocator, end: float) -> None:
    expect(inside.get_by_role("searchbox", name="Search the shop")).to_be_visible()
    track = lead.locator("#track")
    track.focus()
    lead.keyboard.press("End")
    expect(inside.locator("#cart-count")).to_have_text("1")
    ends = float(lead.locator("#watch").get_attribute("data-ends") or 0)
    assert int(player.locator("body").get_attribute("data-at") or 0) == pytest.approx(min(end, ends), abs=1)
    lead.keyboard.press("Home")
    expect(inside.locator("#cart-count")).not_to_have_text("1")
    player.locator("#page").select_option(index=2)
    expect(lead.locator("#now")).not_to_have_text("0:00.0")
    player.locator("#page").select_option("")


def play_to_the_end(lead: Page, inside: FrameLocator) -> None:
    lead.locator("#track").press("Home")
    lead.locator("#speed").select_option("8")
    lead.get_by_role("button", name=re.compile("^Play")).click()
    ends = lead.locator("#watch").get_attribute("data-ends") or ""
    expect(lead.locator("#track")).to_have_attribute("aria-valuenow", ends, timeout=30_000)
    expect(inside.locator("#cart-count")).to_have_text("1")


def test_without_a_capture_the_panel_says_why(site: Site, working: Page, context: BrowserContext) -> None:
    annotator.do_round(working, annotator.put_kettle_into_cart)
    attempt = Attempt.objects.get(kind="cold")
    lead = context.browser.new_context().new_page()  # type: ignore[union-attr]
    annotator.sign_in(lead, site.link(site.lead))
    lead.goto(f"{site.url}/studies/sample/attempts/{attempt.pk}/")
    lead.get_by_role("tab", name=re.compile("^As the person saw it")).click()
    expect(lead.locator("#seen")).to_contain_text("The study did not keep pages as the person saw them")
    lead.context.close()
