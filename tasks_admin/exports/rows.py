"""Attempts as the bundle has them: which ones, in what order, by what names, and their rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from django.db.models import QuerySet

from annotate.counting import LEFT_OUT, in_figures, left_out
from annotate.models import Attempt, Round, Study, TaskCondition
from tasks_admin.exports.choice import ALL, Choice

Row = dict[str, Any]
LetOut = Callable[[str, int, str], None]  # told of each cleared text: its kind, its row's pk, where it stands
ENDED = ("complete", "rolled_back", "abandoned", "void")
STATUSES = (
    *ENDED,
    "superseded",
    "withdrawn",
    *LEFT_OUT,
)  # of attempts, as the bundle tells them; only complete ones count

NAMING = (
    "round__participation",
    "round__assignment__task_condition__task__environment",
    "round__assignment__task_condition__variant",
)
ORDER = ("round__participation__code", "round__assignment__position", "round__number", "kind")

WRITTEN = (  # the fields of which the bundle's rows and traces of attempts are made
    *(
        "kind",
        "score",
        "passed",
        "verdict",
        "time_up",
        "raw_events",
        "cleaned_events",
        "steps",
        "proof_complete",
        "cleaner",
    ),
    *("active_ms", "prepared_at", "started_at", "evaluate_at"),
    *(f"recording__{name}" for name in ("key", "environment", "task", "seed", "started_at", "closing_at")),
    *(
        f"round__{name}"
        for name in ("number", "state", "cause", "set_aside", "participation__code", "assignment__role")
    ),
    *(f"round__assignment__task_condition__{name}" for name in ("condition", "variant__primitive")),
    *(
        f"round__assignment__task_condition__task__{name}"
        for name in ("slug", "difficulty", "primitives", "environment__slug")
    ),
)


def unnoted(kind: str, pk: int, where: str) -> None:
    """Where nothing leaves the house."""


def attempts_to_export(study: Study, choice: Choice = ALL) -> QuerySet[Attempt]:
    """Every chosen attempt of an ended round, in the bundle's order; not those whose person took their data back."""
    return (
        Attempt.objects.filter(choice.within("round__"), round__participation__study=study, round__state__in=ENDED)
        .exclude(round__set_aside=Round.SetAside.REMOVED)
        .annotate(left_out=left_out("round__"))
        .select_related("recording", *NAMING)
        .defer("backend_record", "proof")
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
    condition, round_ = attempt.round.assignment.task_condition, attempt.round
    task = condition.task
    return name_of(
        round_.participation.code, task.environment.slug, task.slug, condition.condition, round_.number, attempt.kind
    )


def name_of(code: str, environment: str, task: str, condition: str, number: int, kind: str) -> str:
    """The same of the columns of its row: what no file's name may hold is an underscore."""
    return "-".join((code, environment, re.sub("[/:]", "_", task), condition, f"r{number}", kind))


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
