"""An annotator's round in a real browser with two tabs: the whole way, and everything that may go wrong on it."""

from __future__ import annotations

import contextlib
import re

import pytest
from django.conf import LazySettings
from playwright.sync_api import BrowserContext, Error, Page, expect

from annotate import health
from annotate.models import Attempt, Round, Study
from recorder.recordings import raw_events
from tasks_admin.operate import annotator
from tests.benchmark.running import TOKEN
from tests.e2e.conftest import Site, until

pytestmark = pytest.mark.e2e


def open_round(page: Page) -> Round:
    """Press Start on the dashboard; the round it opened."""
    page.get_by_role("button", name=re.compile("^Start (the practice|next)")).click()
    page.wait_for_url("**/rounds/*/")
    return Round.objects.get(pk=int(page.url.rstrip("/").rsplit("/", 1)[1]))


def cold(round_: Round) -> Attempt:
    return Attempt.objects.select_related("recording").get(round=round_, kind="cold")


def typed(round_: Round) -> list[str]:
    """The values that the server holds of what was typed in the cold attempt."""
    recording = cold(round_).recording
    assert recording is not None
    return [event["value"] for event in raw_events(recording) if event["type"] == "input"]


def grace(seconds: int) -> None:
    study = Study.objects.get()
    Study.objects.filter(pk=study.pk).update(options=study.options | {"grace_seconds": seconds})


def state(round_: Round) -> str:
    return Round.objects.get(pk=round_.pk).state


def test_a_whole_round(site: Site, working: Page) -> None:
    seen = annotator.do_round(working, annotator.put_kettle_into_cart, rating={"clarity": 4}, comment="fine <b>&")
    assert [(one.kind, one.passed) for one in seen] == [("cold", True), ("warm", True)]
    round_ = Round.objects.get()
    assert (round_.state, round_.assignment.state) == ("complete", "complete")
    first, second = round_.attempts.all()
    assert first.recording is not None
    assert second.recording is not None
    assert first.recording.key != second.recording.key
    for attempt in (first, second):
        assert attempt.proof_complete, attempt.proof
        assert attempt.verdict is not None
        assert attempt.verdict["source"] == "server"
        assert (attempt.steps or 0) >= 5
    kinds = {event["type"] for event in raw_events(first.recording)}
    assert {"click", "keydown", "input", "focus", "navigate", "mousemove", "submit"} <= kinds
    assert first.recording.requests.filter(path__startswith="/search").exists()
    rating = round_.ratings.get()
    assert (rating.answers, rating.comment) == ({"clarity": 4}, "fine <b>&")


def test_reloading_either_tab_loses_nothing_and_ends_nothing(site: Site, working: Page) -> None:
    round_ = open_round(working)
    shop = annotator.start_attempt(working)
    shop.get_by_role("searchbox", name="Search the shop").press_sequentially("kett")
    shop.reload()
    shop.get_by_role("searchbox", name="Search the shop").press_sequentially("le")
    working.reload()
    expect(working.locator("#evaluate")).to_be_visible()
    expect(working.locator("#elsewhere")).to_be_hidden()
    shop.get_by_role("searchbox", name="Search the shop").fill("")
    annotator.put_kettle_into_cart(shop)
    assert annotator.evaluate(working, "Cold").passed
    attempt = cold(round_)
    assert attempt.proof_complete, attempt.proof
    assert attempt.recording is not None
    events = raw_events(attempt.recording)
    values = [event["value"] for event in events if event["type"] == "input"]
    assert values[:6] == ["k", "ke", "ket", "kett", "l", "le"]
    assert [event["how"] for event in events if event["type"] == "navigate"][:2] == ["load", "reload"]


@pytest.mark.parametrize("seconds", [6, pytest.param(30, marks=pytest.mark.slow)])
def test_a_lost_network_loses_nothing(site: Site, working: Page, context: BrowserContext, seconds: int) -> None:
    round_ = open_round(working)
    shop = annotator.start_attempt(working)
    context.set_offline(True)
    shop.get_by_role("searchbox", name="Search the shop").press_sequentially("offline words", delay=50)
    shop.wait_for_timeout(seconds * 1000)
    expect(working.locator("#saving")).to_have_text("offline, keeping it", timeout=15_000)
    context.set_offline(False)
    until(lambda: typed(round_)[-1:] == ["offline words"])
    assert len(typed(round_)) == len("offline words")
    expect(working.locator("#saving")).to_have_text("all saved", timeout=20_000)
    assert state(round_) == "cold"
    annotator.evaluate(working, "Cold")
    assert cold(round_).proof_complete


def test_a_second_tab_may_take_over_and_the_first_is_told(site: Site, working: Page, context: BrowserContext) -> None:
    round_ = open_round(working)
    expect(working.locator("#start")).to_be_enabled()
    second = context.new_page()
    second.goto(working.url)
    expect(second.get_by_role("heading", name="This round is open in another tab")).to_be_visible()
    expect(second.locator("#own")).to_be_hidden()
    second.get_by_role("button", name=re.compile("^Take over here")).click()
    expect(second.locator("#start")).to_be_enabled()
    expect(working.get_by_role("heading", name="This round was taken over in another tab")).to_be_visible()
    working.get_by_role("button", name=re.compile("^Take over here")).click()  # and back again
    expect(working.locator("#start")).to_be_enabled()
    expect(second.get_by_role("heading", name="This round was taken over in another tab")).to_be_visible()
    assert state(round_) == "preparing"


def test_double_clicks_do_things_once(site: Site, working: Page) -> None:
    working.get_by_role("button", name=re.compile("^Start the practice")).dblclick()
    working.wait_for_url("**/rounds/*/")
    expect(working.locator("#start")).to_be_enabled()
    with working.context.expect_page() as opened:
        working.locator("#start").dblclick()
    shop = opened.value
    shop.get_by_role("button", name="Start now").dblclick()
    shop.wait_for_url(re.compile("^http"))
    annotator.put_kettle_into_cart(shop)
    working.bring_to_front()
    working.get_by_role("button", name=re.compile("^Evaluate")).dblclick()
    expect(working.locator("#verdicts .verdict", has_text="Cold: Passed")).to_be_visible()
    working.get_by_role("button", name=re.compile("^Start warm")).dblclick()
    expect(working.locator("#start")).to_be_visible()
    expect(working.locator("#start")).to_be_enabled()
    assert Round.objects.count() == 1
    assert [attempt.kind for attempt in Attempt.objects.all()] == ["cold", "warm"]


@pytest.mark.parametrize(("which", "cause"), [("site", "environment_tab_closed"), ("control", "control_tab_closed")])
def test_closing_a_tab_rolls_back(site: Site, working: Page, context: BrowserContext, which: str, cause: str) -> None:
    grace(8)
    round_ = open_round(working)
    shop = annotator.start_attempt(working)
    shop.get_by_role("link", name="Cart").click()
    if which == "site":
        shop.close()
        expect(working.locator("#site-closed")).to_be_visible()
    else:
        working.close()
    until(lambda: state(round_) == "rolled_back", 40)
    ended = Round.objects.get(pk=round_.pk)
    assert (ended.cause, ended.assignment.state) == (cause, "not_started")
    if which == "site":
        expect(working.get_by_text("The website's tab was closed, so this round was rolled back")).to_be_visible()
    until(lambda: (cold(round_).raw_events or 0) > 0)


def test_a_closed_site_can_be_reopened_in_time(site: Site, working: Page) -> None:
    round_ = open_round(working)
    annotator.start_attempt(working).close(run_before_unload=True)
    expect(working.locator("#site-closed")).to_be_visible()
    with working.context.expect_page() as opened:
        working.get_by_role("button", name=re.compile("^Reopen the website")).click()
    opened.value.wait_for_url(re.compile("^http"), wait_until="load")
    annotator.put_kettle_into_cart(opened.value)
    assert annotator.evaluate(working, "Cold").passed
    attempt = cold(round_)
    assert attempt.proof_complete, attempt.proof
    assert attempt.recording is not None
    assert sorted(attempt.recording.documents.values_list("tab", flat=True).distinct()) == [1, 2]


def test_abandon_asks_why_and_gives_the_assignment_back(site: Site, working: Page) -> None:
    round_ = open_round(working)
    annotator.start_attempt(working)
    working.bring_to_front()
    working.keyboard.press("x")
    working.get_by_label(re.compile("^Why")).fill("the doorbell rang")
    working.get_by_role("dialog").get_by_role("button", name="Abandon").click()
    expect(working.get_by_text("You abandoned this round")).to_be_visible()
    ended = Round.objects.get(pk=round_.pk)
    assert (ended.state, ended.reason, ended.assignment.state) == ("abandoned", "the doorbell rang", "not_started")
    working.get_by_role("button", name=re.compile("^Start again")).click()
    expect(working.locator("#start")).to_be_enabled()
    assert [one.number for one in Round.objects.order_by("pk")] == [1, 2]


def test_an_environment_that_is_down_stops_the_start(site: Site, working: Page, settings: LazySettings) -> None:
    site.benchmark.stop()
    working.get_by_role("button", name=re.compile("^Start the practice")).click()
    expect(working.get_by_text("can't be used just now")).to_be_visible()
    assert not Round.objects.exists()
    site.benchmark.start()
    settings.BENCHMARK_URL, settings.BENCHMARK_TOKEN = site.benchmark.url, TOKEN
    working.goto(site.url + "/work/")
    expect(working.get_by_text("can't be used just now")).to_be_visible()
    open_round(working)
    expect(working.locator("#start")).to_be_enabled()


def test_an_environment_that_goes_down_while_preparing(
    site: Site, working: Page, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "require_up", lambda environment: None)  # it was up a moment ago
    site.benchmark.stop()
    open_round(working)
    expect(working.locator("#problem")).to_contain_text("could not be prepared")
    expect(working.locator("#start")).to_be_disabled()
    site.benchmark.start()
    settings.BENCHMARK_URL, settings.BENCHMARK_TOKEN = site.benchmark.url, TOKEN
    working.get_by_role("button", name="Prepare the website again").click()
    expect(working.locator("#start")).to_be_enabled()


def test_after_evaluate_the_old_tab_closes_when_it_is_used(site: Site, working: Page) -> None:
    open_round(working)
    shop = annotator.start_attempt(working)
    annotator.evaluate(working, "Cold")
    with contextlib.suppress(Error):  # the page that says so closes the tab while it loads
        shop.reload()
    until(shop.is_closed)


def test_miniwob_instruction_and_verdict(site: Site, working: Page) -> None:
    skip_to("miniwob", "click-button")
    working.reload()
    round_ = open_round(working)
    page = annotator.start_attempt(working)
    wanted = (page.locator("#query").text_content() or "").split('"')[1]
    expect(working.locator("#instruction")).to_contain_text(wanted)
    page.get_by_role("button", name=wanted, exact=True).first.click()
    page.wait_for_timeout(500)
    assert annotator.evaluate(working, "Cold").passed
    attempt = cold(round_)
    assert attempt.verdict is not None
    assert (attempt.verdict["source"], attempt.steps) == ("page", 1)


def skip_to(environment: str, task: str) -> None:
    """Leave only one assignment of P1 to do."""
    from annotate.models import Assignment  # noqa: PLC0415

    Assignment.objects.filter(participation__code="P1").exclude(
        task_condition__task__environment__slug=environment, task_condition__task__slug=task
    ).update(state="withdrawn")


def test_keyboard_alone(site: Site, working: Page) -> None:
    working.keyboard.press("s")
    working.wait_for_url("**/rounds/*/")
    expect(working.locator("#start")).to_be_enabled()
    working.keyboard.press("?")
    expect(working.get_by_role("dialog")).to_contain_text("Start")
    working.keyboard.press("Escape")
    with working.context.expect_page() as opened:
        working.keyboard.press("s")
    working.bring_to_front()
    working.keyboard.press("n")
    opened.value.wait_for_url(re.compile("^http"), wait_until="load")
    working.bring_to_front()
    working.keyboard.press("e")
    expect(working.locator("#verdicts")).to_contain_text("Cold: Not passed")
