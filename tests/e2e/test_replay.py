"""An attempt that passed is replayed in the background, and becomes its task's reference; a lead sees how, and may overrule."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotate.models import Picture, Reference, Replay
from tasks_admin.operate import annotator
from tests.cast import Worker
from tests.e2e.conftest import Site, until

pytestmark = pytest.mark.e2e


def test_from_a_passed_attempt_to_a_reference(site: Site, working: Page, work: Worker, context: BrowserContext) -> None:
    work.replays = True
    annotator.do_round(working, annotator.put_kettle_into_cart)
    assert not Replay.objects.exists()  # practice never counts
    annotator.do_round(working, annotator.make_parents_address_default)
    until(lambda: Replay.objects.filter(state="done").count() == 2, seconds=180)
    replays = list(Replay.objects.select_related("attempt"))
    assert [(replay.outcome, replay.why) for replay in replays] == [("verified", ""), ("verified", "")]
    for replay in replays:
        steps = list(replay.steps.all())
        assert len(steps) == replay.attempt.steps
        assert all(
            step.outcome in {"done", "healed"} and step.before and step.after and step.thumbnail for step in steps
        )
        assert replay.filmstrip is not None
    for picture in Picture.objects.all():
        assert picture.file.size == picture.size
    until(lambda: Reference.objects.filter(is_current=True, attempt__isnull=False).exists())
    reference = Reference.objects.get(is_current=True)
    assert reference.attempt is not None
    assert (reference.attempt.kind, reference.policy, reference.overruled) == ("warm", "default", False)
    see_as_lead(site, context.browser.new_context(viewport={"width": 1280, "height": 800}))  # type: ignore[union-attr]


def see_as_lead(site: Site, context: BrowserContext) -> None:
    page = context.new_page()
    annotator.sign_in(page, site.link(site.lead))
    page.goto(f"{site.url}/studies/sample/references/")
    expect(page.get_by_text("The only one that may be chosen: warm by P1")).to_be_visible()
    page.get_by_role("link", name=re.compile("^warm by P1")).first.click()
    expect(page.locator("#replay .pill")).to_have_text("verified")
    frames = page.locator(".filmstrip img")
    expect(frames.first).to_be_visible()
    assert frames.first.evaluate("image => image.decode().then(() => image.naturalWidth)") == 320
    page.get_by_role("button", name="Replay again").click()
    expect(page.get_by_text("The replay is queued")).to_be_visible()
    context.close()
