"""The rows of the bundle's tables, in a fixed order, read a piece at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from django.db.models import QuerySet

from annotate.counting import LEFT_OUT, faulty_tasks, in_figures, left_out
from annotate.models import Attempt, Rating, Reference, Replay, Review, Round, Study, TaskCondition
from tasks_admin.exports.choice import ALL, Choice
from tasks_admin.release.items import cleared_texts
from tasks_admin.release.items import rows as released

Row = dict[str, Any]
ENDED = ("complete", "rolled_back", "abandoned", "void")
STATUSES = (
    *ENDED,
    "superseded",
    "withdrawn",
    *LEFT_OUT,
)  # of attempts, as the bundle tells them; only complete ones count

NAMING = (
    "round__participation__study",
    "round__assignment__task_condition__task__environment",
    "round__assignment__task_condition__variant",
)
ORDER = ("round__participation__code", "round__assignment__position", "round__number", "kind")


def attempts_to_export(study: Study, choice: Choice = ALL) -> QuerySet[Attempt]:
    """Every chosen attempt of an ended round, in the bundle's order; not those whose person took their data back."""
    return (
        Attempt.objects.filter(choice.within("round__"), round__participation__study=study, round__state__in=ENDED)
        .exclude(round__set_aside=Round.SetAside.REMOVED)
        .annotate(left_out=left_out("round__"))
        .select_related("recording", *NAMING)
        .order_by(*ORDER)
    )


def removed(study: Study, choice: Choice = ALL) -> QuerySet[Attempt]:
    """Attempts of people who left and took their data back: nothing of them is exported but how many they are."""
    anything = replace(choice, only_complete=False)  # what was taken back never counts
    found = Attempt.objects.filter(anything.within("round__"), round__participation__study=study)
    return found.filter(round__set_aside=Round.SetAside.REMOVED)


def counted(study: Study, choice: Choice = ALL) -> QuerySet[Attempt]:
    """The attempts that figures are made of: of complete rounds that are not set aside and that no review leaves out; no practice."""
    return attempts_to_export(study, choice).filter(in_figures("round__")).exclude(round__assignment__role="practice")


def status_of(round_: Round, left_out: str = "") -> str:
    """A round's state as the bundle tells it: a complete one that is set aside, or that reviews leave out, is not called complete."""
    return round_.set_aside or (left_out if round_.state == "complete" else "") or round_.state


def attempt_id(attempt: Attempt) -> str:
    """An attempt's name in the bundle; it also names its trace file."""
    condition = attempt.round.assignment.task_condition
    parts = (
        attempt.round.participation.code,
        condition.task.environment.slug,
        condition.task.slug.replace("/", "_"),
        condition.condition,
        f"r{attempt.round.number}",
        attempt.kind,
    )
    return "-".join(parts)


def primitive_of(condition: TaskCondition) -> str | None:
    """The primitive a task-condition is counted under."""
    if condition.variant and condition.variant.primitive:
        return condition.variant.primitive
    return condition.task.primitives[0] if condition.task.primitives else None


def attempt_row(attempt: Attempt) -> Row:
    """A row of `attempts`."""
    round_, condition = attempt.round, attempt.round.assignment.task_condition
    return {
        "attempt_id": attempt_id(attempt),
        "environment": condition.task.environment.slug,
        "task": condition.task.slug,
        "difficulty": condition.task.difficulty,
        "primitive": primitive_of(condition),
        "condition": condition.condition,
        "attempt": attempt.kind,
        "role": round_.assignment.role,
        "annotator": round_.participation.code,
        "round": round_.number,
        "status": status_of(round_, attempt.left_out),  # type: ignore[attr-defined]
        "cause": round_.cause or None,
        "score": attempt.score,
        "passed": attempt.passed,
        "wall_ms": attempt.wall_ms,
        "active_ms": attempt.active_ms,
        "reading_ms": attempt.reading_ms,
        "time_up": attempt.time_up,
        "raw_events": attempt.raw_events,
        "cleaned_events": attempt.cleaned_events,
        "steps": attempt.steps,
        "proof_complete": attempt.proof_complete,
        "cleaner": attempt.cleaner or None,
        "started_at": attempt.started_at.isoformat() if attempt.started_at else None,
    }


def check_rows(attempt: Attempt, masked: Callable[[str], str] = str) -> Iterator[Row]:
    """The rows of `verdict_checks` for one attempt; `masked` is applied to what was found."""
    for index, check in enumerate((attempt.verdict or {}).get("checks", [])):
        yield {
            "attempt_id": attempt_id(attempt),
            "index": index,
            "name": check["name"],
            "kind": check["kind"],
            "passed": check["passed"],
            "weight": float(check.get("weight", 1)),
            "detail": masked(check["detail"]) if check.get("detail") else None,
        }


def event_rows(name: str, events: list[dict[str, Any]]) -> Iterator[Row]:
    """The rows of `events` for the attempt called `name`."""
    for index, event in enumerate(events):
        common = {column: event[column] for column in ("doc", "n", "tab", "frame", "type", "origin")}
        yield {"attempt_id": name, "index": index, "t": float(event["t"]), **common, "event": compact(event)}


def step_rows(name: str, steps: list[dict[str, Any]]) -> Iterator[Row]:
    """The rows of `steps` for the attempt called `name`."""
    for index, step in enumerate(steps):
        first, last = step["raw"]
        times = {"t": float(step["t"]), "t_end": float(step.get("t_end", step["t"]))}
        yield {
            "attempt_id": name,
            "index": index,
            "type": step["type"],
            **times,
            "raw_first": first,
            "raw_last": last,
            "step": compact(step),
        }


def compact(value: Any) -> str:
    """JSON without spaces, characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def task_condition_rows(study: Study, choice: Choice = ALL) -> Iterator[Row]:
    """The rows of `task_conditions`: the whole panel under the chosen conditions."""
    conditions = TaskCondition.objects.filter(study=study).select_related("task__environment", "variant")
    if choice.conditions:
        conditions = conditions.filter(condition__in=choice.conditions)
    for condition in conditions.order_by("task__environment__slug", "task__slug", "condition").iterator(1000):
        yield {
            "environment": condition.task.environment.slug,
            "task": condition.task.slug,
            "condition": condition.condition,
            "variant": condition.variant.slug if condition.variant else None,
            "layer": condition.variant.layer if condition.variant else None,
            "primitive": primitive_of(condition),
            "primitives": condition.task.primitives,
            "title": condition.task.title,
            "instruction": condition.task.instruction,
            "difficulty": condition.task.difficulty,
            "expected_steps": condition.task.expected_steps,
            "seed": study.seed,
        }


def participation_rows(study: Study, choice: Choice = ALL) -> Iterator[Row]:
    """The rows of `participations`: codes, never people."""
    participations = study.participations.select_related("consent").order_by("code")
    if choice.people:
        participations = participations.filter(code__in=choice.people)
    for participation in participations.iterator(1000):
        yield {
            "code": participation.code,
            "tier": participation.tier,
            "exclusions": participation.exclusions,
            "consent_version": participation.consent.version if participation.consent else None,
        }


def rating_rows(study: Study, choice: Choice = ALL) -> Iterator[Row]:
    """The rows of `ratings`, one per answer. Comments are withheld."""
    ratings = (
        Rating.objects.filter(choice.within("round__"), round__participation__study=study)
        .exclude(round__set_aside=Round.SetAside.REMOVED)
        .select_related("round__participation", "round__assignment__task_condition__task__environment")
    )
    order = ("round__participation__code", "round__assignment__position", "round__number", "revision")
    for rating in ratings.order_by(*order).iterator(1000):
        condition = rating.round.assignment.task_condition
        for item, value in sorted(rating.answers.items()):
            yield {
                "annotator": rating.round.participation.code,
                "environment": condition.task.environment.slug,
                "task": condition.task.slug,
                "condition": condition.condition,
                "round": rating.round.number,
                "revision": rating.revision,
                "item": item,
                "value": int(value),
            }


def comment_rows(study: Study, choice: Choice = ALL) -> Iterator[Row]:
    """The rows of `comments`: what a lead has cleared, nothing else."""
    for kind in ("comment", "reason"):
        mine = choice.within("" if kind == "reason" else "round__")
        for row in released(study, kind, "cleared").filter(mine).iterator(1000):
            round_ = row if kind == "reason" else row.round
            condition = round_.assignment.task_condition
            yield {
                "annotator": round_.participation.code,
                "environment": condition.task.environment.slug,
                "task": condition.task.slug,
                "condition": condition.condition,
                "round": round_.number,
                "kind": kind,
                "text": row.comment if kind == "comment" else row.reason,
            }


def replay_rows(study: Study, choice: Choice = ALL) -> Iterator[Row]:
    """The rows of `replays`: every one that ended, of attempts that are exported."""
    replays = Replay.objects.filter(state="done", attempt__in=attempts_to_export(study, choice)).select_related(
        *(f"attempt__{path}" for path in NAMING)
    )
    for replay in replays.order_by(*(f"attempt__{path}" for path in ORDER), "number").iterator(1000):
        verdict = replay.verdict or {"score": None, "passed": None}
        yield {
            "attempt_id": attempt_id(replay.attempt),
            "replay": replay.number,
            "outcome": replay.outcome,
            "pace": replay.pace or None,
            "broke_at": replay.broke_at,
            "diagnosis": replay.diagnosis or None,
            "why": replay.why or None,
            "score": verdict["score"],
            "passed": verdict["passed"],
            **{outcome: replay.counts.get(outcome, 0) for outcome in ("done", "healed", "failed", "skipped")},
            "ms": replay.ms,
            "cleaner": replay.cleaner or None,
            "software": replay.software or None,
        }


def amendment_rows(study: Study) -> Iterator[Row]:
    """The rows of `amendments`, whatever was chosen: what changed after the study was frozen. Who changed it stays in the house."""
    for amendment in study.amendments.order_by("number").iterator(1000):
        yield {
            "number": amendment.number,
            "at": amendment.at.isoformat(),
            "kind": amendment.kind,
            "subject": amendment.subject,
            "reason": amendment.reason,
            "before": None if amendment.before is None else compact(amendment.before),
            "after": None if amendment.after is None else compact(amendment.after),
        }


def reference_rows(study: Study, choice: Choice = ALL) -> Iterator[Row]:
    """The rows of `references`: the current choice of each task-condition that has one."""
    chosen = Reference.objects.filter(task_condition__study=study, is_current=True, attempt__isnull=False)
    order = ("task_condition__task__environment__slug", "task_condition__task__slug", "task_condition__condition")
    names = {attempt.pk: attempt_id(attempt) for attempt in counted(study, choice).iterator(200)}
    if choice != ALL:  # without a choice, a reference that does not count is a fault and shall be seen
        chosen = chosen.filter(choice.within("attempt__round__"))
    for reference in chosen.select_related("task_condition__task__environment").order_by(*order).iterator(1000):
        condition = reference.task_condition
        yield {
            "environment": condition.task.environment.slug,
            "task": condition.task.slug,
            "condition": condition.condition,
            "attempt_id": names[reference.attempt_id or 0],
            "policy": reference.policy,
            "overruled": reference.overruled,
            "reason": reference.reason,
            "runners_up": [names[pk] for pk in reference.runners_up if pk in names],
        }


def review_rows(study: Study, choice: Choice = ALL) -> Iterator[Row]:
    """The rows of `reviews`: every decision on an exported round, once per attempt, with its reason where that was cleared."""
    names: dict[int, list[str]] = {}
    for attempt in attempts_to_export(study, choice).filter(round__reviews__isnull=False).distinct().iterator(200):
        names.setdefault(attempt.round_id, []).append(attempt_id(attempt))
    cleared = cleared_texts(study, "review")
    order = ("round__participation__code", "round__assignment__position", "round__number", "pk")
    for review in Review.objects.filter(round__in=names).order_by(*order).iterator(1000):
        for name in names[review.round_id]:
            yield {
                "attempt_id": name,
                "decision": review.decision,
                "stands": review.is_current,
                "flags": sorted({flag["rule"] for flag in review.flags}),
                "reason": cleared.get(review.pk),
            }


def faulty_rows(study: Study) -> list[Row]:
    """The manifest's list of tasks that a review found faulty."""
    return [{"environment": task.environment.slug, "task": task.slug} for task in faulty_tasks(study)]
