"""A lead in a real browser: a study from a preset to its plan, frozen, changed while it runs; and an attempt whose time is up."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from annotate.models import Amendment, Assignment, Attempt, Participation, Study
from tasks_admin.operate import annotator
from tests.e2e.conftest import Site
from tests.e2e.test_pages import HEAVY, Watch, look_at

pytestmark = pytest.mark.e2e


def save(page: Page) -> None:
    page.keyboard.press("Escape")
    page.locator("main").focus()
    page.keyboard.press("s")


def test_a_study_is_made_planned_frozen_and_changed_while_it_runs(site: Site, page: Page) -> None:
    watch, found = Watch(page, site.url), []

    def look(name: str) -> None:
        found.extend(look_at(page, name))

    annotator.sign_in(page, site.link(site.lead))
    page.goto(site.url + "/studies/")
    page.keyboard.press("n")
    page.wait_for_url("**/studies/new/")
    look("new study")
    page.get_by_label("Name", exact=True).fill("Tea time")
    page.get_by_label("Short name").fill("tea-time")
    page.get_by_label(re.compile("Sample shop")).check()
    page.get_by_role("button", name=re.compile("Create")).click()
    page.wait_for_url("**/edit/texts/")
    page.get_by_label("Consent text").fill("# Tea\n\nWe record *tea*. <script>document.title = 'owned'</script>")
    page.get_by_role("button", name=re.compile("Preview")).click()
    expect(page.locator("#preview ~ .split em")).to_have_text("tea")
    assert "owned" not in page.title()
    look("texts, preview")
    save(page)
    expect(page.get_by_text("Consent, version 2")).to_be_visible()
    for section in ("about", "people", "rating", "options"):
        page.goto(f"{site.url}/studies/tea-time/edit/{section}/")
        look(section)
    page.goto(site.url + "/studies/tea-time/edit/design/")
    page.get_by_label("Practice task").fill("shop/nothing")
    save(page)
    expect(page.get_by_text("There is no such task.")).to_be_visible()
    look("design with a fault")
    page.get_by_label("Practice task").fill("")
    page.get_by_label("Tasks of each cell").fill("2")
    save(page)
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.goto(site.url + "/studies/tea-time/state/")
    look("not ready")
    find(page, site, "tea-time")
    look("plan")
    page.keyboard.press("a")
    page.wait_for_url("**/state/")
    page.get_by_role("button", name="Freeze the study").click()
    expect(page.get_by_text("The study is frozen")).to_be_visible()
    look("frozen")

    page.goto(site.url + "/studies/tea-time/edit/people/")
    page.get_by_label("P2 leaves").check()
    page.get_by_label("Why").fill("P2 has moved away")
    page.get_by_role("button", name=re.compile("Amend")).click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    look("people of a running study")
    find(page, site, "tea-time")
    look("replan")
    page.get_by_label("Why").fill("P2 has moved away")
    page.get_by_role("button", name="Apply the change").click()
    expect(page.get_by_text("assignments have changed hands")).to_be_visible()
    page.goto(site.url + "/studies/tea-time/amendments/")
    expect(page.locator("tbody tr")).to_have_count(2)
    look("amendments")
    assert found == []
    assert watch.faults == []
    assert watch.bytes < HEAVY * 20
    left = Participation.objects.get(study__slug="tea-time", code="P2")
    assert not Assignment.objects.filter(participation=left).exclude(state="withdrawn").exists()
    assert Amendment.objects.filter(study__slug="tea-time").count() == 2


def find(page: Page, site: Site, slug: str) -> None:
    """Ask for a plan and wait on the page until it is there."""
    page.goto(f"{site.url}/studies/{slug}/plan/")
    page.keyboard.press("f")
    expect(page.get_by_role("heading", name="People")).to_be_visible(timeout=60_000)


def test_an_attempt_whose_time_is_up_is_evaluated_by_itself(site: Site, context: BrowserContext, working: Page) -> None:
    study = Study.objects.get(slug="sample")
    Study.objects.filter(pk=study.pk).update(options=study.options | {"time_limit_seconds": 10})
    working.goto(site.url + "/work/")
    working.get_by_role("button", name=re.compile("^Start the practice")).click()
    working.wait_for_url("**/rounds/*/")
    working.locator("#start:not([disabled])").wait_for()
    expect(working.get_by_text("You have 10 s for each go.")).to_be_visible()
    annotator.start_attempt(working)
    expect(working.locator("#left")).to_have_text(re.compile(r"0:\d\d left"))
    expect(working.get_by_text("Time was up")).to_be_visible(timeout=30_000)
    attempt = Attempt.objects.get(kind="cold")
    assert attempt.time_up
    assert 10_000 <= (attempt.wall_ms or 0) < 14_000
