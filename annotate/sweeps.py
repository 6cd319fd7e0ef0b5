"""Rounds that nobody tends any more. All instants are the server's, and its own absence never counts against a tab."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from annotate.actions import rounds, time_limit
from annotate.errors import MovedOn
from annotate.models import Attempt, Presence, Round

SERVER_BEAT = timedelta(seconds=3)
SERVER_GONE = timedelta(seconds=12)
STUCK_AFTER = timedelta(seconds=45)


def beat() -> None:
    """Note that the web server is up; after an absence, `up_since` moves to now. Called every SERVER_BEAT."""
    now = timezone.now()
    if Presence.objects.filter(pk=1, seen_at__gte=now - SERVER_GONE).update(seen_at=now):
        return
    Presence.objects.update_or_create(pk=1, defaults={"seen_at": now, "up_since": now})


def end_lost_rounds() -> list[tuple[int, str]]:
    """Roll back what was left; returns (round id, cause) of each. While the web server is away nothing is ended."""
    now = timezone.now()
    presence = Presence.objects.filter(pk=1, seen_at__gte=now - SERVER_GONE).first()
    if presence is None:
        return []
    ended = []
    for round_ in _open_rounds():
        cause = lost_cause(round_, now, presence.up_since)
        if cause and _try_roll_back(round_, cause):
            ended.append((round_.pk, cause))
    return ended


def _open_rounds() -> QuerySet[Round]:
    return Round.objects.filter(state__in=Round.OPEN).select_related("assignment", "participation__study")


def lost_cause(round_: Round, now: datetime, up_since: datetime) -> str:
    """Why the round is lost at `now`: "control_tab_closed", "environment_tab_closed", or "" while it is not."""
    grace = timedelta(seconds=round_.participation.study.options.get("grace_seconds", 90))
    if now - max(round_.control_seen_at, up_since) > grace:
        return "control_tab_closed"
    attempt = round_.attempts.filter(started_at__isnull=False, evaluate_at=None).select_related("recording").first()
    if attempt is None or attempt.recording is None or attempt.started_at is None:
        return ""
    heard = attempt.recording.documents.aggregate(at=Max("seen_at"))["at"] or attempt.started_at
    return "environment_tab_closed" if now - max(heard, up_since) > grace else ""


def end_solved_attempts() -> list[int]:
    """Evaluate attempts whose page has shown success, in studies that end them then; returns the rounds' ids."""
    running = (
        _open_rounds().filter(attempts__recording__success_at__isnull=False, attempts__evaluate_at=None).distinct()
    )
    return [round_.pk for round_ in running if rounds.end_if_solved(round_)]


def end_due_attempts() -> list[int]:
    """Evaluate attempts whose time is up, in studies with a time limit; returns the rounds' ids."""
    limited = _open_rounds().filter(participation__study__options__time_limit_seconds__gt=0, state__in=["cold", "warm"])
    return [round_.pk for round_ in limited if _end_if_due(round_)]


def _end_if_due(round_: Round) -> bool:
    try:
        return time_limit.end_if_due(round_)
    except MovedOn:
        return False  # it was abandoned or rolled back at this very moment: that move won


def _try_roll_back(round_: Round, cause: str) -> bool:
    try:
        rounds.roll_back(round_, cause)
    except MovedOn:
        return False  # it was evaluated or abandoned at this very moment: that move won
    return True


def stuck_attempts() -> list[tuple[str, int]]:
    """("prepare" or "finish", attempt id) of open rounds whose background work did not come to its end."""
    before = timezone.now() - STUCK_AFTER
    alive = Attempt.objects.filter(round__state__in=Round.OPEN, error="")
    unprepared = alive.filter(recording=None, created_at__lt=before)
    unfinished = alive.filter(evaluated_at=None, evaluate_at__lt=before).filter(
        Q(scoring_at=None) | Q(scoring_at__lt=before)
    )
    return [("prepare", pk) for pk in unprepared.values_list("pk", flat=True)] + [
        ("finish", pk) for pk in unfinished.values_list("pk", flat=True)
    ]
