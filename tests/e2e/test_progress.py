"""The lead's view of who works now, and what the annotator sees when a lead steps in, in two real browsers."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tasks_admin.operate import annotator
from tests.e2e.conftest import VIEWPORT, Site

pytestmark = pytest.mark.e2e
SOON = 20_000


def test_a_lead_watches_and_ends_a_stuck_round(site: Site, working: Page, chromium: Browser) -> None:
    context = chromium.new_context(viewport=VIEWPORT)  # type: ignore[arg-type]
    lead = context.new_page()
    annotator.sign_in(lead, site.link(site.lead))
    lead.goto(f"{site.url}/studies/sample/")
    now = lead.locator("[data-live]")
    expect(now).to_contain_text("Nobody just now")
    working.locator("body").press("Enter")  # where nothing has the focus, Enter starts what is next
    working.wait_for_url("**/rounds/*/")
    expect(now).to_contain_text("P1", timeout=SOON)  # without a reload
    now.get_by_role("link").first.click()
    lead.get_by_label(re.compile("^Why")).first.fill("the shop hangs, sorry")
    lead.get_by_role("button", name="End the round").click()
    expect(lead.locator(".messages")).to_contain_text("Ended. P1 is told why")
    expect(working.locator("#ending")).to_contain_text("A lead ended this round", timeout=SOON)
    working.goto(f"{site.url}/work/")
    expect(working.get_by_text("the shop hangs, sorry")).to_be_visible()
    working.get_by_role("button", name="I have read this").click()
    expect(working.get_by_text("the shop hangs, sorry")).to_have_count(0)
    button = working.get_by_role("button", name=re.compile("^Start the practice"))
    box = button.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 720  # on a laptop's screen without scrolling
    context.close()
