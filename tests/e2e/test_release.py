"""Clearing screenshots and captures in a real browser: all of a page by keys, one by its box, and the pages by axe."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.utils import timezone
from PIL import Image, ImageDraw
from playwright.sync_api import Page, expect

from annotate.actions import replays
from annotate.models import Assignment, Attempt, Replay
from recorder.capture.ingest import LATE_S, ingest
from recorder.environments.base import Verdict
from recorder.models import Recording
from recorder.replay import pictures, results
from tasks_admin.operate import annotator
from tasks_admin.release import items
from tests.e2e.conftest import Site
from tests.e2e.test_pages import look_at
from tests.recorded import recorded_round

pytestmark = pytest.mark.e2e
PRESSED = ["Add to cart", "Write to jo@example.org", "Pay"]


def shot(step: int) -> Image.Image:
    image = Image.new("RGB", (1280, 800), (250, 250, 248))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 1280, 72), fill=(31, 77, 120))
    for number in range(6):
        left, top = 60 + number % 3 * 400, 120 + number // 3 * 320
        draw.rounded_rectangle((left, top, left + 360, top + 280), 12, outline=(180, 180, 176), width=2)
        draw.rectangle((left + 20, top + 220, left + 60 + 40 * step, top + 250), fill=(31, 120, 77))
    return image


def film(attempt: Attempt, first: int) -> None:
    """The attempt's replay, with another picture before each of its steps."""
    taken = pictures.Film()
    for step in range(3):
        taken.taken[str(step)] = pictures.encode(shot(first + step)).data
    steps = [results.StepResult(n, "click", "done", before=str(n), box=[80, 340, 60, 30]) for n in range(3)]
    done = results.Replay("fast", steps, None, verdict=Verdict(1.0, True, "server"), ms=900)
    replays.conclude(Replay.objects.create(attempt=attempt, number=1), replays.Played(done, taken, None))


def capture(attempt: Attempt) -> None:
    """A page of the attempt as the person saw it, to which nothing is added any more."""
    assert attempt.recording is not None
    told = {"v": 1, "page": "p1", "n": 0, "time_origin": 1e12, "url": "http://x.env.localhost/", "final": True}
    events = [
        {"type": kind, "data": {"text": text}, "timestamp": 10.0 + kind}
        for kind, text in ((4, "/"), (2, "Ship to jo@example.org"))
    ]
    ours = Recording.objects.filter(pk=attempt.recording.pk)
    ours.update(capture=True)
    ingest(attempt.recording.pk, "\n".join(map(json.dumps, [told, *events])).encode())
    ours.update(closed_at=timezone.now() - timedelta(seconds=LATE_S + 1))


def test_screenshots_are_cleared_by_keys(site: Site, page: Page) -> None:
    assignment = Assignment.objects.filter(participation__code="P1", role="primary").order_by("position")[0]
    made = recorded_round(assignment, {"cold": PRESSED, "warm": PRESSED})
    for first, attempt in enumerate(made.attempts.order_by("kind")):
        film(attempt, 3 * first)
        capture(attempt)
    annotator.sign_in(page, site.link(site.lead))
    page.goto(f"{site.url}/studies/sample/release/pictures/")
    expect(page.get_by_text("may show an e-mail address").first).to_be_visible()
    assert look_at(page, "screenshots") == []
    page.get_by_label("before step 2, click button “Write to jo@example.org”").first.check()
    page.keyboard.press("w")
    expect(page.get_by_text("1 picture is withheld.")).to_be_visible()
    page.keyboard.press("a")
    page.keyboard.press("c")
    expect(page.get_by_text("5 pictures may leave the house now.")).to_be_visible()
    assert items.count(assignment.task_condition.study, "picture") == {"open": 0, "cleared": 5, "withheld": 1}
    page.goto(f"{site.url}/studies/sample/release/captures/")
    expect(page.get_by_text("looks like an e-mail address")).to_have_count(2)
    assert look_at(page, "captures") == []
    page.get_by_role("link", name="Watch it").last.click()
    expect(page.get_by_title("As the person saw it")).to_be_in_viewport()
    page.go_back()
    page.get_by_role("checkbox").last.check()
    page.keyboard.press("c")
    expect(page.get_by_text("1 capture may leave the house now.")).to_be_visible()
