"""All that the attempt page shows, put together once for the viewer and for the review queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from annotate.actions.cleanings import of_attempt
from annotate.instrument import items
from annotate.models import Attempt, Person, Study
from tasks_admin import access, filmstrip
from tasks_admin.viewer import others
from tasks_admin.viewer.lists import FIRST, KINDS, Lists
from tasks_admin.viewer.seen import seen_of
from tasks_admin.viewer.timeline import timeline_of

MOST_BESIDE = 150  # steps of a side that are put side by side on the page; more stand on a page of their own
FRAMES = 40


@dataclass(frozen=True)
class Blind:
    """What a reviewer does not see: the person's code, the condition."""

    code: bool = False
    condition: bool = False


def page_of(
    study: Study, attempt: Attempt, person: Person, query: dict[str, str], blind: Blind | None = None
) -> dict[str, Any]:
    """The template's context. `query` holds `against` (an attempt's id), `frames` and `raw` (where lists begin)."""
    blind = blind or Blind()
    lists, seen = Lists(attempt), seen_of(attempt.recording)
    round_, condition = attempt.round, attempt.round.assignment.task_condition
    near = [other for other in others.others_of(attempt) if not (blind.condition and other.other_condition)]
    return {
        "study": study,
        "attempt": attempt,
        "round": round_,
        "condition": condition,
        "blind": blind,
        "who": "the annotator" if blind.code else round_.participation.code,
        "may_decide": access.may_decide(person, study),
        "may_judge": attempt.evaluated_at is not None and access.may_decide(person, study),
        "siblings": round_.attempts.order_by("kind"),
        "flags": round_.flags.filter(lifted_at=None).select_related("attempt"),
        "reviews": round_.reviews.select_related("lead").order_by("-pk"),
        "lists": [list_of(lists, kind, number(query.get("raw")) if kind == "raw" else 0) for kind in KINDS],
        "timeline": timeline_of(attempt.recording, lists.order, lists.steps, lists.wall_ms, seen.until)
        if attempt.recording
        else None,
        "start": number(query.get("t")),
        "rating": round_.ratings.order_by("-revision").first(),
        "questions": items(study.instrument, condition.condition),
        "cleanings": of_attempt(attempt),
        "seen": seen,
        "replay": filmstrip.of(attempt, lists.steps, number(query.get("frames")), FRAMES),
        "not_replayed": filmstrip.why_none(attempt),
        "transitions": round_.transitions.select_related("actor"),
        "backend": (attempt.backend_record or [])[:200],
        "others": near,
        "beside": chosen(lists, near, query.get("against", "")),
    }


def number(text: str | None) -> int:
    """A place from an address; 0 where it is none."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0


def list_of(lists: Lists, kind: str, first: int) -> dict[str, Any]:
    """A list as the page begins with it."""
    total = lists.total(kind)
    first = first if first < total else 0
    return {"kind": kind, "total": total, "first": first, "rows": lists.piece(kind, first), "next": first + FIRST}


def chosen(lists: Lists, near: list[others.Other], against: str) -> others.Beside | None:
    """The attempt that is asked for, or the nearest one, beside this; None where there is none."""
    asked = next((other for other in near if str(other.attempt.pk) == against), None)
    other = asked or (near[0] if near else None)
    if other is None or (asked is None and max(len(lists.steps), other.attempt.steps or 0) > MOST_BESIDE):
        return None
    return others.beside(lists.steps, other)
