"""Who is recording now, and which rounds are stuck."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from annotate.models import Attempt, Round, Study
from annotate.sweeps import STUCK_AFTER
from tasks_admin.progress import now_recording

SHOWN = 50
SILENT_AFTER = timedelta(seconds=30)
LONG_AFTER = timedelta(hours=2)


@dataclass(frozen=True)
class NowRow:
    """An open round with the attempt it is at, and why it seems stuck ("" where it does not)."""

    round: Round
    attempt: Attempt | None
    stuck: str


def rows(study: Study) -> list[NowRow]:
    """The open rounds, longest first; at most SHOWN."""
    now = timezone.now()
    return [_row(round_, now) for round_ in now_recording(study)[:SHOWN]]


def _row(round_: Round, now: datetime) -> NowRow:
    attempt = max(round_.attempts.all(), key=lambda one: one.kind, default=None)
    return NowRow(round_, attempt, stuck_why(round_, attempt, now))


def stuck_why(round_: Round, attempt: Attempt | None, now: datetime) -> str:
    """Why an open round seems stuck, as a lead reads it; "" where it does not."""
    if attempt is not None and attempt.error:
        return "the website could not be scored" if attempt.evaluate_at else "the website could not be prepared"
    if (
        attempt is not None
        and attempt.evaluate_at
        and not attempt.evaluated_at
        and now - attempt.evaluate_at > STUCK_AFTER
    ):
        return "its score is not there yet"
    if attempt is not None and attempt.recording_id is None and now - attempt.created_at > STUCK_AFTER:
        return "its website is not prepared yet"
    if now - round_.control_seen_at > SILENT_AFTER:
        return "its control tab is silent; it is rolled back by itself after the grace period"
    return "it has been open for very long" if now - round_.opened_at > LONG_AFTER else ""
