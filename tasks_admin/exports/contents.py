"""How many attempts a choice takes in, and how many stay out and why; counted by the database."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, F

from annotate.counting import left_out
from annotate.models import Attempt, Round, Study
from tasks_admin.exports.choice import Choice
from tasks_admin.exports.rows import ENDED


@dataclass
class Contents:
    """{status: attempts} of what is in, {reason: attempts} of what stays out."""

    inside: Counter[str] = field(default_factory=Counter)
    outside: Counter[str] = field(default_factory=Counter)


def contents_of(study: Study, choice: Choice) -> Contents:
    """What an export of the choice would hold now."""
    found = Contents()
    for group in groups(study):
        why = reason(group, choice)
        told = found.outside if why else found.inside
        told[why or told_status(group)] += group["n"]
    return found


def groups(study: Study) -> list[dict[str, Any]]:
    """Attempts counted by all that decides on them: a row per person, condition, role and state."""
    found: Any = (
        Attempt.objects.filter(round__participation__study=study)
        .order_by()
        .values(
            state=F("round__state"),
            set_aside=F("round__set_aside"),
            code=F("round__participation__code"),
            role=F("round__assignment__role"),
            condition=F("round__assignment__task_condition__condition"),
            left_out=left_out("round__"),
        )
        .annotate(n=Count("pk"))
    )
    return list(found)


def reason(group: dict[str, Any], choice: Choice) -> str:
    """Why a group stays out, in words; "" where it is in."""
    if group["set_aside"] == Round.SetAside.REMOVED:
        return "taken back by a person who left"
    if group["state"] not in ENDED:
        return "of a round that has not ended"
    if choice.conditions and group["condition"] not in choice.conditions:
        return "under a condition that was not chosen"
    if choice.people and group["code"] not in choice.people:
        return "of a person who was not chosen"
    if choice.only_complete and group["role"] == "practice":
        return "practice"
    status = told_status(group)
    return status if choice.only_complete and status != "complete" else ""


def told_status(group: dict[str, Any]) -> str:
    """The status as the bundle tells it, in words (tasks_admin.exports.rows.status_of)."""
    of_reviews = group["left_out"] if group["state"] == "complete" else ""
    return str(group["set_aside"] or of_reviews or group["state"]).replace("_", " ")
