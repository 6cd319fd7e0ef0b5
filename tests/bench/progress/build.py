"""A study of 100,000 assignments, written by the database itself: 20 websites × 5 difficulties × 450 tasks, both conditions.

90,000 primary assignments of 45 people (2,000 each) and 10,000 duplicates of ten; five of seven are complete, of which one in
fifty was returned and done again; some rounds ended early, and 40 are open.
"""

from __future__ import annotations

from django.db import connection, transaction

STEPS = (
    """INSERT INTO annotate_person (password, email, name, time_zone, language, is_active, is_sample, joined_at, may_create_studies)
    SELECT '!', 'p' || n || '@example.org', 'Person ' || n, 'UTC', 'en-GB', true, false, now(), false FROM generate_series(1, 56) n""",
    """INSERT INTO annotate_study (slug, name, state, seed, options, instrument, is_sample, created_at, design, version)
    SELECT slug, 'A ' || slug || ' study', 'frozen', 42, '{}', '[]', false, now(), '{}', 1
    FROM unnest(ARRAY['large', 'usual']) slug""",
    """INSERT INTO annotate_studyrole (study_id, person_id, role) SELECT s.id, p.id, 'owner'
    FROM annotate_study s, annotate_person p WHERE p.email = 'p56@example.org'""",
    """INSERT INTO annotate_environment (slug, name, adapter, options)
    SELECT 'site-' || n, 'Site ' || n, 'static', '{}' FROM generate_series(1, 20) n""",
    """INSERT INTO annotate_probe (environment_id, at, ok, ms, detail)
    SELECT e.id, now() - n * interval '30 seconds', true, 20, '' FROM annotate_environment e, generate_series(1, 500) n""",
    """INSERT INTO annotate_task (environment_id, slug, title, instruction, difficulty, primitives, params, content_hash, version,
        is_current, imported_at)
    SELECT e.id, level || '-' || n, 'Task ' || n, 'Do what is asked for in task ' || n || '.', level, '[]', '{}', '', 1, true, now()
    FROM annotate_environment e, unnest(ARRAY['easy', 'medium', 'hard', 'expert', 'frontier']) level, generate_series(1, 450) n""",
    """INSERT INTO annotate_variant (task_id, slug, primitive, layer, description, params)
    SELECT id, slug || '-v', 'planning', 'seed', '', '{}' FROM annotate_task""",
    """INSERT INTO annotate_taskcondition (study_id, task_id, condition, variant_id)
    SELECT s.id, t.id, c, CASE WHEN c = 'intervention' THEN v.id END
    FROM annotate_study s, annotate_task t JOIN annotate_variant v ON v.task_id = t.id, unnest(ARRAY['clean', 'intervention']) c
    WHERE s.slug = 'large' OR t.slug IN ('easy-1', 'medium-1', 'hard-1', 'expert-1')""",
    """INSERT INTO annotate_participation (study_id, person_id, code, tier, exclusions, is_active, guidelines_read_at)
    SELECT s.id, p.id, CASE WHEN p.n <= 45 THEN 'P' || p.n ELSE 'D' || p.n - 45 END,
        CASE WHEN p.n <= 45 THEN 'primary' ELSE 'duplicate' END, '[]', true, now()
    FROM annotate_study s, (SELECT id, row_number() OVER (ORDER BY id) n FROM annotate_person) p
    WHERE p.n <= 55 AND (s.slug = 'large' OR p.n <= 2)""",
    # Primaries: task-conditions in turns; the usual study's 160 go to two people, 80 each, in the same way.
    """INSERT INTO annotate_assignment (task_condition_id, participation_id, role, position, state, is_returned)
    SELECT t.id, p.id, 'primary', t.n / p.people, CASE WHEN t.n % 7 < 5 THEN 'complete' ELSE 'not_started' END, t.n % 7 = 6
    FROM (SELECT id, study_id, row_number() OVER (PARTITION BY study_id ORDER BY id) - 1 n FROM annotate_taskcondition) t
    JOIN (SELECT id, study_id, row_number() OVER (PARTITION BY study_id ORDER BY id) - 1 n, count(*) OVER (PARTITION BY study_id) people
        FROM annotate_participation WHERE tier = 'primary') p ON p.study_id = t.study_id AND t.n % p.people = p.n""",
    """INSERT INTO annotate_assignment (task_condition_id, participation_id, role, position, state, is_returned)
    SELECT t.id, p.id, 'duplicate', t.n / 10, CASE WHEN t.n % 7 < 5 THEN 'complete' ELSE 'not_started' END, false
    FROM (SELECT c.id, row_number() OVER (ORDER BY c.id) - 1 n FROM annotate_taskcondition c JOIN annotate_study s ON s.id = c.study_id
        WHERE s.slug = 'large' ORDER BY c.id LIMIT 10000) t
    JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 n FROM annotate_participation WHERE tier = 'duplicate') p ON t.n % 10 = p.n""",
    """INSERT INTO annotate_round (assignment_id, participation_id, person_id, number, state, cause, reason, control_tab,
        control_seen_at, opened_at, ended_at, set_aside)
    SELECT a.id, a.participation_id, p.person_id, g.number, g.state, '', '', '', now(), g.at, g.at + interval '5 minutes', g.aside
    FROM annotate_assignment a JOIN annotate_participation p ON p.id = a.participation_id,
    LATERAL (SELECT now() - interval '40 days' + a.position * interval '25 minutes' + r.number * interval '6 minutes' AS at, r.*
        FROM (VALUES (1, 'rolled_back', ''), (2, 'complete', 'superseded'), (3, 'complete', '')) r(number, state, aside)) g
    WHERE (a.state = 'complete' AND (g.number = 3 OR g.number = 2 AND a.id % 50 = 0)) OR (g.number = 1 AND a.id % 17 = 0)""",
    """UPDATE annotate_assignment SET state = 'in_round' WHERE id IN (SELECT DISTINCT ON (participation_id) id
        FROM annotate_assignment WHERE state = 'not_started' ORDER BY participation_id, position LIMIT 40)""",
    """INSERT INTO annotate_round (assignment_id, participation_id, person_id, number, state, cause, reason, control_tab,
        control_seen_at, opened_at, set_aside)
    SELECT DISTINCT ON (p.person_id) a.id, a.participation_id, p.person_id, 9, 'cold', '', '', '', now(),
        now() - interval '3 minutes', ''
    FROM annotate_assignment a JOIN annotate_participation p ON p.id = a.participation_id WHERE a.state = 'in_round'
    ORDER BY p.person_id""",
    """INSERT INTO annotate_attempt (round_id, kind, instruction, asks, error, fault, created_at, prepared_at, started_at, evaluate_at,
        evaluate_pressed, evaluated_at, score, passed, proof_complete, raw_events, cleaned_events, steps, active_ms, cleaner, time_up)
    SELECT r.id, k.kind, '', false, '', '', r.opened_at, r.opened_at, r.opened_at + k.after,
        r.opened_at + k.after + interval '110 seconds',
        true, r.opened_at + k.after + interval '2 minutes',
        (r.id % 5 > 0)::int, r.id % 5 > 0, true, 400, 60, 20, 100000, 'human140/1', false
    FROM annotate_round r, (VALUES ('cold', interval '20 seconds'), ('warm', interval '150 seconds')) k(kind, after)
    WHERE r.state = 'complete'""",
    """INSERT INTO annotate_attempt (round_id, kind, instruction, asks, error, fault, created_at, prepared_at, started_at,
        evaluate_pressed, cleaner, time_up)
    SELECT id, 'cold', '', false, '', '', opened_at, opened_at, opened_at + interval '20 seconds', true, '', false
    FROM annotate_round WHERE state <> 'complete'""",
    """INSERT INTO annotate_flag (round_id, rule, reason, created_at)
    SELECT id, 'comment', 'left a comment', opened_at FROM annotate_round WHERE state = 'complete' AND id % 20 = 0""",
)


def build() -> None:
    """Write it all into the empty, migrated database that Django is set to."""
    with transaction.atomic(), connection.cursor() as cursor:
        for step in STEPS:
            cursor.execute(step)
            cursor.execute("ANALYZE")  # or the next step's joins are planned for empty tables
