"""What the control tab knows of its round: nothing that the study hides is in it."""

from __future__ import annotations

from typing import Any

from django.db.models import Max, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate import queries
from annotate.actions.time_limit import left_ms
from annotate.instrument import items
from annotate.models import Attempt, Round
from recorder import recordings
from recorder.models import Recording

ENDINGS = {
    "control_tab_closed": "The control tab was away for too long, so this round was rolled back. It does not count against "
    "you: start the assignment again whenever you like.",
    "environment_tab_closed": "The website's tab was closed, so this round was rolled back. It does not count against you: "
    "start the assignment again whenever you like.",
    "session_forgotten": "The website lost this session. That is a fault of ours, not yours: the round does not count, and "
    "you can start the assignment again.",
    "verdict_lost": "The website did not say how this attempt ended, and may be asked only once. That is a fault of ours, not "
    "yours: the round does not count, and you can start the assignment again.",
    "ended_by_lead": "A lead ended this round; the reason is under My work. It does not count against you, and you can start "
    "the assignment again.",
    "left_study": "You left the study, so this round has ended.",
    "abandoned": "You abandoned this round. What was recorded is kept and never counted.",
}


def snapshot(round_: Round, tab: str) -> dict[str, Any]:
    """The round's present state for its control tab; times in ms by the server's clock."""
    attempt = queries.current_attempt(round_)
    study = round_.participation.study
    return {
        "round": round_.pk,
        "number": round_.number,
        "state": round_.state,
        "mine": round_.ended_at is not None or round_.control_tab in ("", tab),
        "ending": ENDINGS.get(round_.cause, "") if round_.ended_at else "",
        "attempt": _attempt(attempt, study.options),
        "saving": _saving(attempt.recording),
        "verdicts": [_verdict(done, study.options) for done in round_.attempts.filter(evaluated_at__isnull=False)],
        "questions": _questions(round_),
        "rating": _rating(round_),
        "next": _next(round_),
    }


def _attempt(attempt: Attempt, options: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": attempt.kind,
        "phase": phase(attempt),
        "error": attempt.error,
        "asks": attempt.asks,
        "ended_itself": attempt.ended_itself,
        "instruction": attempt.instruction,
        "url": recordings.recording_url(attempt.recording) if attempt.recording and attempt.started_at else "",
        "elapsed_ms": _elapsed_ms(attempt),
        "left_ms": left_ms(attempt, options),
    }


def phase(attempt: Attempt) -> str:
    """preparing, failed (could not be prepared), ready, recording, evaluating, stuck (could not be scored), evaluated."""
    if attempt.evaluated_at:
        return "evaluated"
    if attempt.evaluate_at:
        return "stuck" if attempt.error else "evaluating"
    if attempt.started_at:
        return "recording"
    if attempt.recording_id:
        return "ready"
    return "failed" if attempt.error else "preparing"


def _elapsed_ms(attempt: Attempt) -> int:
    if attempt.started_at is None:
        return 0
    until = attempt.evaluate_at or timezone.now()
    return round((until - attempt.started_at).total_seconds() * 1000)


def _saving(recording: Recording | None) -> dict[str, Any]:
    """Events held, events the pages still hold, earlier pages of which the browser still holds some, pages alive, and ms
    since the last word from one (None: never)."""
    if recording is None:
        return {"events": 0, "waiting": 0, "earlier": 0, "pages": 0, "heard_ms": None, "refused": 0}
    documents = recording.documents.all()
    sums = documents.aggregate(
        last=Coalesce(Sum("last"), 0), received=Coalesce(Sum("received"), 0), heard=Max("seen_at")
    )
    heard = sums["heard"]
    return {
        "events": recording.events.count(),
        "waiting": sums["last"] - sums["received"],
        "earlier": recordings.earlier_pages(recording),
        "pages": documents.filter(closed_at=None).count(),
        "heard_ms": None if heard is None else round((timezone.now() - heard).total_seconds() * 1000),
        "refused": recording.refused_events.count(),
    }


def _verdict(attempt: Attempt, options: dict[str, Any]) -> dict[str, Any]:
    shown = options.get("show_verdict", True)
    return {
        "kind": attempt.kind,
        "passed": attempt.passed if shown else None,
        "declared": attempt.asks and attempt.declared is not None,
        "time_up": attempt.time_up,
        "wall_ms": attempt.wall_ms,
        "steps": attempt.steps,
        "complete": attempt.proof_complete,
    }


def _questions(round_: Round) -> list[dict[str, Any]]:
    if round_.state != "complete":
        return []
    condition = round_.assignment.task_condition.condition
    return [item.model_dump(exclude={"only"}) for item in items(round_.participation.study.instrument, condition)]


def _rating(round_: Round) -> dict[str, Any] | None:
    """What was said last, so that a reloaded form shows it."""
    rating = round_.ratings.order_by("-revision").first()
    return {"answers": rating.answers, "comment": rating.comment} if rating else None


def _next(round_: Round) -> int | None:
    """The assignment to go on with once this round has ended; None while it has not, or where nothing is left."""
    following = queries.next_assignment(round_.participation) if round_.ended_at else None
    return following.pk if following else None
