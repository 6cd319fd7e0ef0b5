"""A study of complete rounds with all of their raw events, written by the database itself.

The events are those of a recorded trace (`tests/formats/widgets.json`) laid end to end, with two moves of the mouse after each, so
that an attempt has raw events, cleaned ones and steps in the proportion that people's have.
"""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from annotate.actions.cleanings import packed
from annotate.models import Attempt
from annotate.timing import active_ms
from recorder.cleaning.registry import Cleaned, clean_events

TRACE = Path(__file__).parents[2] / "formats" / "widgets.json"
CELLS, PER_TASK = 7 * 5, 4  # websites × difficulties; attempts a task: both conditions, cold and warm
FEWEST, SPREAD = 200, 236  # raw events of an attempt: FEWEST and up to SPREAD more, 317 in the mean
PAGE = 200  # events of a document
STEP_MS = 100.0
WALL_S = 90  # an attempt's

STEPS = (
    "SET LOCAL session_replication_role = replica",  # no check of foreign keys, row by row
    """INSERT INTO annotate_person (password, email, name, time_zone, language, is_active, is_sample, joined_at, may_create_studies)
    SELECT '!', 'p' || n || '@example.org', 'Person Number' || n, 'UTC', 'en-GB', true, false, now(), false
    FROM generate_series(1, 40) n""",
    """INSERT INTO annotate_study (slug, name, state, seed, options, instrument, is_sample, created_at, design, version)
    VALUES ('large', 'A large study', 'frozen', 42, '{}', '[]', false, now(), '{}', 1)""",
    """INSERT INTO annotate_environment (slug, name, adapter, options)
    SELECT 'site-' || n, 'Site ' || n, 'static', '{}' FROM generate_series(1, 7) n""",
    """INSERT INTO annotate_task (environment_id, slug, title, instruction, difficulty, primitives, params, content_hash, version,
        is_current, imported_at)
    SELECT e.id, level || '-' || n, 'Task ' || n, 'Do what is asked for in task ' || n || '.', level, '["planning"]', '{}', '', 1, true,
        now()
    FROM annotate_environment e, unnest(ARRAY['easy', 'medium', 'hard', 'expert', 'frontier']) level,
        generate_series(1, %(tasks)s) n""",
    """INSERT INTO annotate_variant (task_id, slug, primitive, layer, description, params)
    SELECT id, slug || '-v', 'planning', 'seed', '', '{}' FROM annotate_task""",
    """INSERT INTO annotate_taskcondition (study_id, task_id, condition, variant_id)
    SELECT s.id, t.id, c, CASE WHEN c = 'intervention' THEN v.id END
    FROM annotate_study s, annotate_task t JOIN annotate_variant v ON v.task_id = t.id, unnest(ARRAY['clean', 'intervention']) c""",
    """INSERT INTO annotate_participation (study_id, person_id, code, tier, exclusions, is_active, guidelines_read_at)
    SELECT s.id, p.id, 'P' || p.id, 'primary', '[]', true, now() FROM annotate_study s, annotate_person p""",
    """INSERT INTO annotate_assignment (task_condition_id, participation_id, role, position, state, is_returned)
    SELECT t.id, p.id, 'primary', t.n / 40, 'complete', false
    FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 n FROM annotate_taskcondition) t
    JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 n FROM annotate_participation) p ON t.n %% 40 = p.n""",
    """INSERT INTO annotate_round (assignment_id, participation_id, person_id, number, state, cause, reason, control_tab,
        control_seen_at, opened_at, ended_at, set_aside)
    SELECT a.id, a.participation_id, p.person_id, 1, 'complete', '', '', '', now(), g.at, g.at + interval '5 minutes', ''
    FROM annotate_assignment a JOIN annotate_participation p ON p.id = a.participation_id,
    LATERAL (SELECT now() - interval '40 days' + a.position * interval '6 minutes' AS at) g""",
    """INSERT INTO annotate_rating (round_id, revision, answers, comment, created_at)
    SELECT id, 1, '{"clarity": 4, "realism": 5, "fun": 3}',
        CASE WHEN id %% 200 = 0 THEN 'What I have to say of round ' || id ELSE '' END, ended_at FROM annotate_round""",
    """INSERT INTO recorder_recording (key, state, adapter, environment, task, variant, seed, session, upstream, start_path, refuse,
        capture, success_holds, created_at, started_at, closing_at, closed_at)
    SELECT 'bench-' || r.id || '-' || kind, 'closed', 'static', e.slug, t.slug, NULL, 42, 's', 'http://127.0.0.1:9', '/', '[]'::jsonb,
        false, false, r.opened_at, r.opened_at, r.ended_at, r.ended_at
    FROM annotate_round r JOIN annotate_assignment a ON a.id = r.assignment_id
    JOIN annotate_taskcondition c ON c.id = a.task_condition_id JOIN annotate_task t ON t.id = c.task_id
    JOIN annotate_environment e ON e.id = t.environment_id, unnest(ARRAY['cold', 'warm']) kind ORDER BY r.id, kind""",
    """INSERT INTO recorder_document (recording_id, doc, tab, tab_keys, frame, last, received, offset_ms, clock, meta, opened_at,
        seen_at, closed_at, "left")
    SELECT r.id, 'page-' || r.id || '-' || page, 1, '[]'::jsonb, '', held - 1, held - 1, %(page)s * page * 100.0, '{}'::jsonb,
        '{"url": "http://site.env.localhost/", "title": "A page", "viewport": [1280, 800], "dpr": 1, "opened": 0}'::jsonb,
        r.started_at, r.closed_at, r.closed_at, 0
    FROM recorder_recording r JOIN bench_length l ON l.slot = r.id %% %(spread)s,
        generate_series(0, (l.events - 1) / %(page)s) page,
        LATERAL (SELECT least(%(page)s, l.events - page * %(page)s) AS held) h ORDER BY r.id, page""",
    """INSERT INTO recorder_event (recording_id, document_id, n, body)
    SELECT d.recording_id, d.id, n,
        '{"doc":"' || d.doc || '","n":' || n || ',"p":' || (n + 1) * 100 || '.5,' || line.rest
    FROM recorder_document d, generate_series(0, d.last) n
    JOIN bench_line line ON true
    WHERE line.slot = (n + (d.offset_ms / 100)::int) %% %(lines)s ORDER BY d.id, n""",
    """INSERT INTO annotate_attempt (round_id, kind, recording_id, instruction, asks, error, fault, created_at, prepared_at, started_at,
        evaluate_at, evaluate_pressed, evaluated_at, score, passed, verdict, proof_complete, raw_events, cleaned_events, steps,
        active_ms, cleaner, time_up)
    SELECT r.id, k.kind, c.id, '', false, '', '', r.opened_at, r.opened_at, c.started_at,
        c.started_at + interval '%(wall_s)s seconds', true, c.closed_at, (r.id %% 5 > 0)::int, r.id %% 5 > 0,
        jsonb_build_object('score', (r.id %% 5 > 0)::int::float, 'passed', r.id %% 5 > 0, 'source', 'server', 'checks',
            jsonb_build_array(jsonb_build_object('name', 'the order exists', 'kind', 'obligation', 'passed', r.id %% 5 > 0, 'weight', 1,
                'detail', 'one order'))),
        true, l.events, l.cleaned, l.steps, l.active_ms, 'human140/1', false
    FROM annotate_round r, unnest(ARRAY['cold', 'warm']) k(kind), recorder_recording c, bench_length l
    WHERE c.key = 'bench-' || r.id || '-' || k.kind AND l.slot = c.id %% %(spread)s ORDER BY r.id, k.kind""",
)


def build(attempts: int) -> None:
    """Write so many attempts (a multiple of 140) into the empty, migrated database that Django is set to."""
    lines = pattern()
    results = [cleaned(slot, lines) for slot in range(SPREAD)]
    tasks = max(1, attempts // (CELLS * PER_TASK))
    sizes = {"tasks": tasks, "spread": SPREAD, "page": PAGE, "lines": len(lines), "wall_s": WALL_S}
    with transaction.atomic(), connection.cursor() as cursor:
        _pattern_tables(cursor, lines, results)
        for step in STEPS:
            cursor.execute(step, sizes)
            cursor.execute("ANALYZE")  # or the next step's joins are planned for empty tables
        _keep_cleanings(cursor, results)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE recorder_event")


def _pattern_tables(cursor: Any, lines: list[dict[str, Any]], results: list[Cleaned]) -> None:
    cursor.execute("CREATE TEMPORARY TABLE bench_line (slot int PRIMARY KEY, rest text) ON COMMIT DROP")
    cursor.execute(
        "CREATE TEMPORARY TABLE bench_length (slot int PRIMARY KEY, events int, cleaned int, steps int, active_ms int) ON COMMIT DROP"
    )
    rests = [(slot, json.dumps(one, ensure_ascii=False, separators=(",", ":"))[1:]) for slot, one in enumerate(lines)]
    cursor.executemany("INSERT INTO bench_line VALUES (%s, %s)", rests)
    cursor.executemany(
        "INSERT INTO bench_length VALUES (%s, %s, %s, %s, %s)",
        [(slot, *one.counts().values(), active(one)) for slot, one in enumerate(results)],
    )


def active(one: Cleaned) -> int:
    """Active time of an attempt with these events."""
    return active_ms((event["t"] for event in one.events if event["origin"] == "user"), WALL_S * 1000)


def pattern() -> list[dict[str, Any]]:
    """The lines of which every recording is made, without `doc`, `n` and `p`."""
    found = []
    for event in json.loads(TRACE.read_text())["events"]:
        found.append({name: value for name, value in event.items() if name not in ("doc", "n", "t", "tab", "frame")})
        move = {"type": "mousemove", "origin": "user", "x": 40, "y": 60}
        found += [move | ({"target": event["target"]} if event.get("target") else {})] * 2
    return found


def cleaned(slot: int, lines: list[dict[str, Any]]) -> Cleaned:
    """What cleaning gives of a recording in this slot; its documents are called `page-R-0` and so on."""
    events = []
    for at, line in enumerate(islice(cycle(lines), FEWEST + slot * 37 % SPREAD)):
        page, n = divmod(at, PAGE)
        t = round((n + 1) * STEP_MS + 0.5 + page * PAGE * STEP_MS, 1)
        told = {"opened": round(line["opened"] + page * PAGE * STEP_MS, 1)} if "opened" in line else {}
        events.append({"doc": f"page-R-{page}", "n": n, "t": t, "tab": 1, "frame": ""} | line | told)
    return clean_events(events)


def _keep_cleanings(cursor: Any, results: list[Cleaned]) -> None:
    """What the worker stores when an attempt ends."""
    texts = [gzip.decompress(packed(one.cleaned, one.steps)).decode() for one in results]
    attempts = list(Attempt.objects.order_by("pk").values_list("pk", "recording_id"))
    with cursor.copy(
        "COPY annotate_cleaning (attempt_id, cleaner, result, raw_events, cleaned_events, steps, made_at) FROM STDIN"
    ) as copy:
        for attempt, recording in attempts:
            slot = recording % SPREAD
            result = gzip.compress(texts[slot].replace("page-R-", f"page-{recording}-").encode(), mtime=0)
            counts = results[slot].counts()
            copy.write_row((attempt, "human140/1", result, *counts.values(), datetime.now(UTC)))
