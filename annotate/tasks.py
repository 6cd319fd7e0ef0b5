"""Background work of rounds. Tasks take ids, look up where things stand, and can run twice."""

from __future__ import annotations

import logging

from celery import shared_task

from annotate import sweeps
from annotate.actions import attempts, cleanings
from annotate.models import Study

logger = logging.getLogger(__name__)


@shared_task
def prepare_attempt(attempt_id: int) -> None:
    """Have the environment prepare (cold) or reset (warm) its session and open the recording."""
    attempts.prepare(attempt_id)


@shared_task
def read_instruction(attempt_id: int) -> None:
    """Take over the instruction that only the running page knows."""
    attempts.read_instruction(attempt_id)


@shared_task
def finish_attempt(attempt_id: int) -> None:
    """Wait for the last events, close the recording, score, clean and count."""
    attempts.finish(attempt_id)


@shared_task
def tidy_round(round_id: int) -> None:
    """Close what an early end left open: recordings, and the environment's session."""
    attempts.tidy(round_id)


@shared_task
def clean_study(study_id: int, cleaner: str) -> None:
    """Clean what of the study has no result of this cleaner yet."""
    cleanings.clean_study(Study.objects.get(pk=study_id), cleaner)


@shared_task(expires=10)
def end_lost_rounds() -> None:
    """Roll back rounds whose control or environment tab has been gone for longer than the grace period."""
    sweeps.end_lost_rounds()


@shared_task(expires=30)
def resume_stuck_rounds() -> None:
    """Take up again what a stopped worker left lying."""
    for name, attempt_id in sweeps.stuck_attempts():
        logger.warning("taking up attempt %s again: %s", attempt_id, name)
        (prepare_attempt if name == "prepare" else finish_attempt).delay(attempt_id)
