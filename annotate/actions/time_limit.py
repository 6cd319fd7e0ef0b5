"""The time limit of an attempt: one instant by the server's clock, after which the attempt is evaluated by itself."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from annotate import queries
from annotate.actions import rounds
from annotate.models import Attempt, Round


def due_at(attempt: Attempt, options: dict[str, Any]) -> datetime | None:
    """When the attempt's time is up; None where the study has no limit or the clock does not run yet."""
    seconds = options.get("time_limit_seconds")
    return attempt.started_at + timedelta(seconds=seconds) if seconds and attempt.started_at else None


def left_ms(attempt: Attempt, options: dict[str, Any]) -> int | None:
    """Milliseconds left of a running attempt, 0 once its time is up; None where there is no limit to count to."""
    due = due_at(attempt, options)
    if due is None or attempt.evaluate_at is not None:
        return None
    return max(0, round((due - timezone.now()).total_seconds() * 1000))


def end_if_due(round_: Round) -> bool:
    """Evaluate the running attempt if its time is up; True if it was."""
    if round_.state not in ("cold", "warm"):
        return False
    attempt = queries.current_attempt(round_)
    if left_ms(attempt, round_.participation.study.options) != 0:
        return False
    rounds.press_evaluate(round_, by_itself=True, time_up=True)
    return True
