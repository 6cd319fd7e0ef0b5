"""Complete rounds written straight into the database, for tests that look at many or at long ones."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotate.actions import cleanings, flagging
from annotate.models import Assignment, Attempt, Round
from recorder import recordings
from recorder.cleaning.registry import clean_events
from recorder.models import Document, Event, Recording


def recorded_round(assignment: Assignment, names: dict[str, list[str]], *, seconds: float = 20) -> Round:
    """A complete round whose attempts press the buttons of these names in turn, `seconds` long: {"cold": […], "warm": […]}."""
    now = timezone.now()
    participation = assignment.participation
    Assignment.objects.filter(pk=assignment.pk).update(state="complete")
    round_ = Round.objects.create(
        assignment=assignment, participation=participation, person=participation.person, number=assignment.rounds.count() + 1,
        state="complete", control_seen_at=now, ended_at=now,
    )  # fmt: skip
    for kind, pressed in names.items():
        attempt = Attempt.objects.create(
            round=round_, kind=kind, score=1, passed=True, evaluated_at=now, proof_complete=True, proof={"documents": {}, "gaps": []},
            verdict={"score": 1, "passed": True, "source": "server", "checks": []}, recording=recording_of(pressed, seconds),
            started_at=now, evaluate_at=now + timedelta(seconds=seconds),
        )  # fmt: skip
        assert attempt.recording is not None
        result = clean_events(recordings.raw_events(attempt.recording))
        cleanings.keep(attempt, result)
        cleaner = f"{result.cleaner}/{result.version}"
        Attempt.objects.filter(pk=attempt.pk).update(**result.counts(), cleaner=cleaner)
        flagging.raise_flags(attempt.pk)
    return round_


def recording_of(names: list[str], seconds: float) -> Recording:
    """A closed recording of presses, evenly spread over the time."""
    now = timezone.now()
    recording = Recording.objects.create(
        key=recordings.new_key(), state="closed", adapter="static", session="s", upstream="http://127.0.0.1:9", started_at=now,
        closed_at=now,
    )  # fmt: skip
    page = Document.objects.create(
        recording=recording, doc="d" * 22, tab=1, last=len(names) - 1, received=len(names) - 1, opened_at=now, seen_at=now,
        meta={"url": "http://x.env.localhost/", "viewport": [1280, 800]},
    )  # fmt: skip
    apart = 1000 * seconds / (len(names) + 1)
    lines = [line(n, name, apart * (n + 1)) for n, name in enumerate(names)]
    Event.objects.bulk_create(
        [Event(recording=recording, document=page, n=n, body=json.dumps(one)) for n, one in enumerate(lines)]
    )
    return recording


def line(n: int, name: str, p: float) -> dict[str, Any]:
    """A press as a page sends it."""
    place = sum(name.encode()) % 90
    target = {
        "xpath": f"/html/body/button[{place}]",
        "css": f"#b{place}",
        "tag": "button",
        "role": "button",
        "name": name,
    }
    return {
        "doc": "d" * 22,
        "n": n,
        "p": p,
        "type": "click",
        "origin": "user",
        "target": target,
        "button": 0,
        "detail": 1,
    }
