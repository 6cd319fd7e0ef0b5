"""Background work of rounds. Tasks take ids, look up where things stand, and can run twice."""

from __future__ import annotations

import logging

from celery import shared_task

from annotate import health, sweeps, tallies
from annotate.actions import attempts, cleanings, flagging, plans, removing, replays
from annotate.flags.registry import Occasion
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
    """Close what a round left open: recordings, and the environment's session. A complete one is replayed."""
    attempts.tidy(round_id)
    replays.after_round(round_id)


@shared_task
def replay_attempt(replay_id: int) -> None:
    """Replay a passed attempt in a fresh session, and choose its task-condition's reference anew."""
    replays.run(replay_id)


@shared_task
def find_plan(plan_id: int) -> None:
    """Find a plan or replan that a lead asked for."""
    plans.run(plan_id)


@shared_task
def clean_study(study_id: int, cleaner: str) -> None:
    """Clean what of the study has no result of this cleaner yet."""
    cleanings.clean_study(Study.objects.get(pk=study_id), cleaner)


@shared_task
def replay_unverified(study_id: int) -> None:
    """Queue a replay of each attempt of the study that passed and is not verified."""
    replays.request_unverified(Study.objects.get(pk=study_id))


@shared_task
def raise_flags(attempt_id: int) -> None:
    """Run every rule over an attempt that was scored, and those that compare over what others did."""
    flagging.raise_flags(attempt_id)


@shared_task
def flag_round(round_id: int, occasion: Occasion) -> None:
    """Ask the rules anew that a rating, a replay or a judgement concerns."""
    flagging.flag_round(round_id, occasion)


@shared_task
def flag_study(study_id: int) -> None:
    """Run every rule over a whole study, as after a change of thresholds."""
    flagging.flag_study(study_id)


@shared_task
def remove_data(participation_id: int) -> None:
    """Remove what was recorded of somebody who left and took their data back."""
    removing.remove_left(participation_id)


@shared_task(expires=50)
def remove_what_is_left() -> None:
    """Take up such a removal that a stopped worker left lying."""
    removing.remove_left()


@shared_task(expires=30)
def count_study(study_id: int) -> None:
    """Count a large study for its lead's pages."""
    tallies.store(Study.objects.get(pk=study_id))


@shared_task(expires=10)
def end_lost_rounds() -> None:
    """Roll back rounds whose control or environment tab has been gone for longer than the grace period."""
    sweeps.end_lost_rounds()


@shared_task(expires=5)
def end_solved_attempts() -> None:
    """End attempts whose page has shown success, where no control tab has done so already."""
    sweeps.end_solved_attempts()


@shared_task(expires=5)
def end_due_attempts() -> None:
    """Evaluate attempts whose time is up, where no control tab has had it done already."""
    sweeps.end_due_attempts()


@shared_task(expires=25)
def probe_environments() -> None:
    """Look whether the environments of running studies can be used."""
    health.probe_all()


@shared_task(expires=30)
def resume_stuck_rounds() -> None:
    """Take up again what a stopped worker left lying."""
    for name, attempt_id in sweeps.stuck_attempts():
        logger.warning("taking up attempt %s again: %s", attempt_id, name)
        (prepare_attempt if name == "prepare" else finish_attempt).delay(attempt_id)


@shared_task(expires=20)
def play_waiting_replays() -> None:
    """Take up replays that nobody works on: the worker was busy, or stopped."""
    for replay_id in replays.waiting()[:1]:
        replays.run(replay_id)
