"""On top of the progress benchmark's study: 50,000 flagged rounds in the queue, and an attempt with 20,000 raw events."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from annotate.actions import cleanings
from annotate.models import Attempt, Study
from recorder import recordings
from recorder.cleaning.registry import clean_events
from recorder.models import Document, Event, Recording, SiteRequest
from tests.bench.progress.build import build as build_study

EVENTS, REQUESTS = 20_000, 600
QUEUE = (
    "DELETE FROM annotate_flag",
    """INSERT INTO annotate_flag (round_id, attempt_id, rule, reason, created_at)
    SELECT r.id, CASE WHEN rule <> 'comment' THEN t.id END, rule, 'For the benchmark, with 12 numbers.', r.ended_at
    FROM (SELECT id, ended_at FROM annotate_round WHERE state = 'complete' AND set_aside = '' ORDER BY id LIMIT 50000) r
    JOIN annotate_attempt t ON t.round_id = r.id AND t.kind = 'warm',
    unnest(ARRAY['comment', 'long_idle', 'unusual_pace', 'tab_hidden']) WITH ORDINALITY rules(rule, n)
    WHERE (r.id + n) % 3 = 0 OR n = 1""",
    """INSERT INTO annotate_reviewitem (round_id, study_id, state, opened_at, stages)
    SELECT DISTINCT f.round_id, p.study_id, CASE WHEN f.round_id % 10 = 0 THEN 'decided' ELSE 'open' END, now(), '[]'::jsonb
    FROM annotate_flag f JOIN annotate_round r ON r.id = f.round_id JOIN annotate_participation p ON p.id = r.participation_id
    ORDER BY f.round_id""",
    """INSERT INTO annotate_review (study_id, round_id, decision, reason, flags, is_current, at, stage)
    SELECT study_id, round_id, (ARRAY['accept', 'exclude', 'accept_alternate'])[1 + round_id / 10 % 3], 'Because.',
        '[]', true, now(), ''
    FROM annotate_reviewitem WHERE state = 'decided'""",
    """INSERT INTO annotate_auditentry (study_id, action, subject, why, at)
    SELECT s.id, (ARRAY['review: accept', 'review: exclude', 'judge'])[1 + n % 3], 'round ' || n || ' of P7', 'Because of ' || n, now()
    FROM annotate_study s, generate_series(1, 50000) n WHERE s.slug = 'large'""",
    "ANALYZE",
)


def build() -> None:
    """Write it all into the empty, migrated database that Django is set to."""
    build_study()
    with transaction.atomic(), connection.cursor() as cursor:
        for step in QUEUE:
            cursor.execute(step)
    long_attempt(Study.objects.get(slug="large"))


def long_attempt(study: Study) -> Attempt:
    """Give the study's first flagged warm attempt a recording of 20,000 raw events over 33 minutes, cleaned and stored."""
    attempt = Attempt.objects.filter(round__review_item__study=study, kind="warm").order_by("pk")[0]
    now = timezone.now()
    recording = Recording.objects.create(
        key="bench", state="closed", adapter="static", session="s", upstream="http://127.0.0.1:9", started_at=now, closed_at=now
    )  # fmt: skip
    page = Document.objects.create(
        recording=recording, doc="d" * 22, tab=1, last=EVENTS - 1, received=EVENTS - 1, opened_at=now, seen_at=now,
        meta={"url": "http://bench.env.localhost/", "title": "Bench", "viewport": [1280, 800]},
    )  # fmt: skip
    Event.objects.bulk_create(
        [Event(recording=recording, document=page, n=n, body=json.dumps(line(n))) for n in range(EVENTS)], 2000
    )
    SiteRequest.objects.bulk_create(
        SiteRequest(recording=recording, t=3300.0 * n, ms=12, method="GET", path=f"/page/{n}", status=503 if n % 97 == 1 else 200)
        for n in range(REQUESTS)
    )  # fmt: skip
    Attempt.objects.filter(pk=attempt.pk).update(
        recording=recording, started_at=now, evaluate_at=now + timedelta(milliseconds=100 * EVENTS)
    )
    cleanings.keep(attempt, clean_events(recordings.raw_events(recording)))
    return attempt


def line(n: int) -> dict[str, Any]:
    """A raw event as a page sends it: bursts of typing, clicks, scrolling and moves, and some that the page makes."""
    kind = ("mousemove", "keydown", "input", "scroll", "click", "focus", "mousemove", "navigate")[n // 7 % 8]
    target = {
        "xpath": f"/html/body/main/div[{n % 40}]/form/input[{n % 7}]", "css": f"#field-{n % 40}", "tag": "input", "role": "textbox",
        "name": f"Field {n % 40} of the long form", "text": "", "box": [10, 20, 300, 32], "editable": "line",
        "matches": {"css": 1, "xpath": 1, "role": 1},
    }  # fmt: skip
    own: dict[str, Any] = {
        "keydown": {"key": "a", "code": "KeyA"},
        "input": {"value": "some text that grows " + "x" * (n % 30), "inputType": "insertText", "data": "x"},
        "scroll": {"dx": 0, "dy": 40, "top": n % 900, "left": 0},
        "navigate": {"url": f"http://bench.env.localhost/page/{n}", "how": "push", "cause": "script"},
    }.get(kind, {"x": n % 1280, "y": n % 800})
    origin = "page" if kind == "navigate" else "user"
    return {"doc": "d" * 22, "n": n, "p": 100.0 * n, "type": kind, "origin": origin, "target": target} | own
