"""The main job without a person: a scripted annotator in real Chromium, then the bundle, then its proof."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from playwright.sync_api import Page, sync_playwright

from annotate.models import Attempt, Person, Reference, Replay, Study
from recorder.browser import launch_options
from recorder.errors import FootpathError
from tasks_admin import sample
from tasks_admin.exports.bundle import Written, export
from tasks_admin.exports.verify import CHECKS, verify
from tasks_admin.operate import annotator
from tasks_admin.operate.stack import Stack, free_port

Say = Callable[[str], None]
REPLAYS_S = 60.0
RATING = {"clarity": 5, "realism": 4, "fun": 3}


class DemoFailed(FootpathError):
    """Something did not go as it must; the message says what."""

    def __init__(self, message: str) -> None:
        super().__init__("demo_failed", 500, message)


@contextmanager
def running(say: Say) -> Any:
    """A whole Footpath with the sample study on a free port; yields (its address, the sample people)."""
    call_command("migrate", verbosity=0, interactive=False)
    port = free_port()
    url = f"http://localhost:{port}"
    with Stack(settings.DATA_DIR, "127.0.0.1", port, url, {"PUBLIC_URL": url}) as stack:
        stack.start_benchmark()
        people = sample.load()
        stack.start_web()
        stack.start_worker()
        say(f"serving at {url}")
        yield url, people


@contextmanager
def browser_page() -> Any:
    """A page of a new Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())  # type: ignore[arg-type]
        try:
            yield browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        finally:
            browser.close()


def run(out: Path, say: Say) -> Written:
    """Do it all; raises DemoFailed where a step does not give what it must."""
    with running(say) as (url, people):
        with browser_page() as page:
            annotate(page, url, people[1], say)
        for line in replayed():
            say(line)
        for line in told(Study.objects.get(slug=sample.SLUG)):
            say(line)
        written = export(Study.objects.get(slug=sample.SLUG), out)
    say(f"bundle: {written.manifest['counts']['events']} raw events, {len(written.manifest['files'])} files")
    problems = verify(out)
    if problems:
        raise DemoFailed("The bundle does not hold:\n  " + "\n  ".join(problems))
    say(f"verified: {len(CHECKS)} checks hold")
    return written


def annotate(page: Page, url: str, person: Person, say: Say) -> None:
    """Consent, guidelines, practice, and one whole assignment with its rating."""
    annotator.sign_in(page, url + sample.sign_in_path(person))
    annotator.accept_terms(page)
    say(f"{person.name} signed in, consented, read the guidelines")
    rounds: list[tuple[str, annotator.Solve, dict[str, int] | None]] = [
        ("practice", annotator.put_kettle_into_cart, None),
        ("assignment", annotator.make_parents_address_default, RATING),
    ]
    for name, solve, rating in rounds:
        for seen in annotator.do_round(page, solve, rating=rating, comment="went well" if rating else ""):
            say(f"{name}: {seen.words}")
            if not seen.passed:
                raise DemoFailed(f"The {name}'s {seen.kind} attempt did not pass.")


def replayed(seconds: float = REPLAYS_S) -> list[str]:
    """What came of the replays of what counts, once they are done; a slow machine is not waited for any longer."""
    deadline = time.monotonic() + seconds
    while (open_ := Replay.objects.exclude(state="done")).exists() and time.monotonic() < deadline:
        time.sleep(0.5)
    lines = [
        f"{replay.attempt.kind}: replayed in a fresh session, {replay.outcome.replace('_', ' ')}, {replay.counts.get('done', 0)} steps "
        f"done, {replay.counts.get('healed', 0)} healed"
        for replay in Replay.objects.filter(state="done").select_related("attempt").order_by("pk")
    ]
    for reference in Reference.objects.filter(is_current=True).select_related("attempt"):
        chosen = reference.attempt.kind if reference.attempt else "none"
        lines.append(f"reference: {chosen}. {reference.reason}")
    return lines + [f"{open_.count()} replays are still under way"] * open_.exists()


def told(study: Study) -> list[str]:
    """One line per attempt: the three counts, the time, and whether the proof is complete."""
    attempts = Attempt.objects.filter(round__participation__study=study).order_by("pk")
    lines = []
    for attempt in attempts:
        if not attempt.proof_complete:
            raise DemoFailed(f"The {attempt.kind} attempt's recording is incomplete: {attempt.proof}")
        lines.append(
            f"{attempt.kind}: {attempt.raw_events} raw events, {attempt.cleaned_events} cleaned, {attempt.steps} steps, "
            f"{attempt.wall_ms} ms, proof complete"
        )
    return lines
