"""The slow half of an attempt, done by the worker: preparing the website, closing the recording, scoring, counting."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Q
from django.utils import timezone

from annotate import health, jobs, news, queries
from annotate.actions import cleanings, flagging, references, rounds
from annotate.errors import MovedOn
from annotate.models import Attempt, Round
from annotate.states import move_assignment, move_round
from annotate.timing import active_ms
from recorder import recordings
from recorder.cleaning.registry import Cleaned, clean_events
from recorder.environments.base import (
    Adapter,
    AnswerLost,
    EnvironmentDown,
    Session,
    SessionForgotten,
    TaskRef,
    UnknownTask,
)
from recorder.environments.options import BadOptions
from recorder.environments.registry import UnknownAdapter, get_adapter
from recorder.errors import FootpathError
from recorder.models import Recording
from recorder.wire import storable_json

DRAIN_SECONDS = 10.0
CLAIM_LASTS = timedelta(seconds=120)


def load(attempt_id: int) -> Attempt:
    """The attempt with all that preparing and finishing read."""
    return Attempt.objects.select_related(
        "recording",
        "round__participation__study",
        "round__assignment__task_condition__task__environment",
        "round__assignment__task_condition__variant",
    ).get(pk=attempt_id)


def task_ref(attempt: Attempt) -> TaskRef:
    """What the environment is asked for: the study's seed makes cold and warm the same."""
    condition = attempt.round.assignment.task_condition
    return TaskRef(
        environment=condition.task.environment.slug,
        task=condition.task.slug,
        variant=condition.variant.slug if condition.variant else None,
        seed=attempt.round.participation.study.seed,
        params=condition.task.params,
        variant_params=condition.variant.params if condition.variant else {},
    )


def adapter_of(attempt: Attempt) -> Adapter:
    """The adapter of the attempt's environment."""
    environment = attempt.round.assignment.task_condition.task.environment
    return get_adapter(environment.adapter, environment.options)


def prepare(attempt_id: int) -> None:
    """Prepare the session and open the recording. A fault of the environment is written on the attempt for both to see."""
    attempt = load(attempt_id)
    if attempt.recording is not None or attempt.round.state not in ("preparing", "between"):
        return
    with _unforeseen(
        attempt, "The website could not be prepared, by a fault of ours. Your lead can see it; try again in a moment."
    ):
        _prepare(attempt)


def _prepare(attempt: Attempt) -> None:
    try:
        session = _session(attempt)
    except SessionForgotten as error:
        _void(attempt.round, "session_forgotten", error.message)
        return
    except (EnvironmentDown, UnknownTask, BadOptions, UnknownAdapter) as error:
        _fault(attempt, "The website could not be prepared. Your lead can see why; try again in a moment.", error)
        return
    _open_recording(attempt, session)


def _session(attempt: Attempt) -> Session:
    adapter = adapter_of(attempt)
    if attempt.kind == "cold":
        return adapter.prepare(task_ref(attempt))
    cold = attempt.round.attempts.select_related("recording").get(kind="cold")
    if cold.recording is None:
        raise SessionForgotten("")
    return adapter.reset(cold.recording.session, task_ref(attempt))


def _open_recording(attempt: Attempt, session: Session) -> None:
    with transaction.atomic():
        # The race: a task that ran twice. One recording wins; the other is taken back with the transaction.
        ref = task_ref(attempt)
        recording = recordings.open_recording(
            session=session,
            adapter=adapter_of(attempt).name,
            seed=ref.seed,
            environment=ref.environment,
            task=ref.task,
            variant=ref.variant,
            ends=bool(attempt.round.participation.study.options.get("end_on_success")),
            capture=bool(attempt.round.participation.study.options.get("capture")),
        )
        won = Attempt.objects.filter(pk=attempt.pk, recording=None).update(
            recording=recording,
            prepared_at=timezone.now(),
            error="",
            fault="",
            instruction=session.instruction or "",
            asks=session.asks,
        )
        if not won:
            transaction.set_rollback(True)
            return
        news.round_changed(attempt.round_id)


def read_instruction(attempt_id: int, seconds: float = 30.0) -> None:
    """Ask the environment for an instruction that only a running page knows (MiniWoB++), until it has one."""
    attempt = load(attempt_id)
    deadline = time.monotonic() + seconds
    while attempt.recording is not None and attempt.recording.state == "open" and time.monotonic() < deadline:
        try:
            told = adapter_of(attempt).instruction(attempt.recording.session)
        except (EnvironmentDown, SessionForgotten) as error:
            _fault(attempt, "The website does not tell its instruction. Your lead can see why.", error)
            return
        if told:
            Attempt.objects.filter(pk=attempt.pk).update(instruction=told)
            news.round_changed(attempt.round_id)
            return
        time.sleep(0.4)
        attempt.recording.refresh_from_db()


def _fault(attempt: Attempt, message: str, error: FootpathError) -> None:
    """What the annotator reads, and what the lead reads: an environment's own words may tell what the study hides."""
    Attempt.objects.filter(pk=attempt.pk).update(error=message, fault=error.message, scoring_at=None)
    if isinstance(error, EnvironmentDown):
        health.note_fault(attempt.round.assignment.task_condition.task.environment, error.message)
    news.round_changed(attempt.round_id)


@contextmanager
def _unforeseen(attempt: Attempt, message: str) -> Iterator[None]:
    """Who waits for the worker is told of an error that nobody foresaw, which goes on to the worker's log. Where only the
    database was away, the work is taken up again by itself."""
    try:
        yield
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:
        fault = f"A fault of ours, {type(error).__name__}: the worker's log says more."
        Attempt.objects.filter(pk=attempt.pk).update(error=message, fault=fault, scoring_at=None)
        news.round_changed(attempt.round_id)
        raise


def finish(attempt_id: int) -> None:
    """Close the recording once all is held, score it once, and move the round on."""
    attempt = load(attempt_id)
    if attempt.evaluated_at is not None or attempt.recording is None or not _claim(attempt):
        return
    with _unforeseen(
        attempt,
        "What you did is saved, but counting it met a fault of ours. Your lead can see it; press Evaluate again.",
    ):
        _finish(attempt, attempt.recording)


def _finish(attempt: Attempt, recording: Recording) -> None:
    wait_until_drained(recording)
    recordings.close_recording(recording)
    try:
        verdict = _verdict(attempt, adapter_of(attempt), recording.session)
        record = storable_json(adapter_of(attempt).backend_record(recording.session))
    except AnswerLost as error:
        _void(attempt.round, "verdict_lost", error.message)
    except SessionForgotten as error:
        _void(attempt.round, "session_forgotten", error.message)
    except EnvironmentDown as error:
        _fault(attempt, "The website could not be scored. What you did is saved; press Evaluate again.", error)
    else:
        _conclude(attempt, verdict, record)


def _verdict(attempt: Attempt, adapter: Adapter, session: str) -> dict[str, Any]:
    """The verdict as it is kept. An adapter that may be asked only once is: what it said is written down before anything
    else, and if nobody knows what it said, AnswerLost says so. Raises what `evaluate` raises."""
    if attempt.verdict is not None:
        return dict(attempt.verdict)
    mine = Attempt.objects.filter(pk=attempt.pk)
    if attempt.asked_at is not None and not adapter.repeatable:
        raise AnswerLost("The worker stopped after it had asked for the verdict, which may be asked for only once.")
    mine.update(asked_at=timezone.now())
    try:
        verdict = adapter.evaluate(session)
    except AnswerLost as error:
        if adapter.repeatable:
            raise EnvironmentDown(error.message) from error
        raise
    except EnvironmentDown:
        mine.update(asked_at=None)  # nothing was sent
        raise
    if verdict.source == "declared":
        verdict = replace(verdict, passed=bool(attempt.declared), score=float(bool(attempt.declared)))
    told = asdict(verdict) | {"checks": [asdict(check) for check in verdict.checks]}
    kept: dict[str, Any] = storable_json(told)  # an environment may say anything, and may be asked only once
    mine.update(verdict=kept)
    return kept


def _claim(attempt: Attempt) -> bool:
    if attempt.round.state != attempt.kind:
        return False
    # The race: Evaluate pressed twice, or a task delivered twice. One of them may call the environment. The conditions are
    # on the row itself, so that PostgreSQL checks them again after waiting for the other's lock; a join would not be.
    mine = Attempt.objects.filter(pk=attempt.pk, evaluated_at=None, evaluate_at__isnull=False)
    stale = timezone.now() - CLAIM_LASTS
    return bool(mine.filter(Q(scoring_at=None) | Q(scoring_at__lt=stale)).update(scoring_at=timezone.now()))


def wait_until_drained(recording: Recording, seconds: float = DRAIN_SECONDS) -> bool:
    """Wait until the server holds every event the pages say they have, at most `seconds`; True if it does."""
    deadline = time.monotonic() + seconds
    while not recordings.is_drained(recording):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def _void(round_: Round, cause: str, message: str) -> None:
    try:
        rounds.void(round_, cause, message)
    except MovedOn:
        return  # it ended in another way meanwhile, which stands


def cleaned(attempt: Attempt) -> Cleaned:
    """The attempt's events, cleaned by the study's cleaner."""
    assert attempt.recording is not None
    return clean_events(
        recordings.raw_events(attempt.recording), cleanings.cleaner_of(attempt.round.participation.study)
    )


def summary(recording: Recording, result: Cleaned, wall_ms: int) -> dict[str, Any]:
    """Proof, the three counts, active time and the cleaner's name, as the attempt's fields hold them."""
    proof = recordings.proof(recording)
    return {
        "proof": proof.as_dict(),
        "proof_complete": proof.complete,
        **result.counts(),
        "active_ms": active_ms((event["t"] for event in result.events if event["origin"] == "user"), wall_ms),
        "cleaner": f"{result.cleaner}/{result.version}",
    }


def _conclude(attempt: Attempt, verdict: dict[str, Any], record: list[dict[str, Any]]) -> None:
    assert attempt.recording is not None
    result = cleaned(attempt)
    fields = summary(attempt.recording, result, attempt.wall_ms or 0)
    try:
        with transaction.atomic():
            cleanings.keep(attempt, result)
            Attempt.objects.filter(pk=attempt.pk).update(
                evaluated_at=timezone.now(),
                score=verdict["score"],
                passed=verdict["passed"],
                verdict=verdict,
                backend_record=record,
                error="",
                fault="",
                **fields,
            )
            _move_on(attempt)
            jobs.raise_flags(attempt.pk)
    except MovedOn:
        return  # abandoned or rolled back while it was being scored: that move won, and its data is kept


def _move_on(attempt: Attempt) -> None:
    round_ = attempt.round
    if attempt.kind == "cold":
        move_round(round_, "between", actor=None, why="cold attempt evaluated")
        return
    # A lead had returned the assignment: from now on this round counts, and the earlier one does no more.
    earlier = round_.assignment.rounds.filter(queries.counted()).update(set_aside=Round.SetAside.SUPERSEDED)
    flagging.leave(round_.assignment)
    move_round(round_, "complete", actor=None, why="warm attempt evaluated")
    move_assignment(round_.assignment, "complete", actor=None, why="round complete")
    if earlier:
        references.settle(round_.assignment.task_condition_id)
    jobs.tidy_round(round_.pk)


def tidy(round_id: int) -> None:
    """Close the recordings of an ended round and give the environment's sessions back."""
    for attempt in Attempt.objects.filter(round_id=round_id, recording__isnull=False):
        loaded = load(attempt.pk)
        assert loaded.recording is not None
        if loaded.recording.state != "closed":
            recordings.begin_closing(loaded.recording)
            wait_until_drained(loaded.recording, seconds=3.0)
            recordings.close_recording(loaded.recording)
        if loaded.proof is None:  # it ended before it was scored: what was recorded is counted all the same
            result = cleaned(loaded)
            Attempt.objects.filter(pk=attempt.pk).update(**summary(loaded.recording, result, loaded.wall_ms or 0))
            cleanings.keep(attempt, result)
        adapter_of(loaded).close(loaded.recording.session)
