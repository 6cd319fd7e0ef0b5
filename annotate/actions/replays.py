"""Replaying attempts in the background: which, when, and what is written of it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction
from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from annotate import jobs
from annotate.actions import audit, flagging, references
from annotate.actions.attempts import adapter_of, load, task_ref
from annotate.actions.cleanings import cleaner_of, full_name
from annotate.counting import in_figures
from annotate.errors import NotYet
from annotate.models import Attempt, Person, Picture, Replay, ReplayStep, Study
from recorder.environments.base import Adapter, EnvironmentDown, SessionForgotten, TaskRef, UnknownTask
from recorder.harness.errors import HarnessError
from recorder.harness.record import browser
from recorder.replay import pictures, results
from recorder.replay.diagnose import Diagnosis, diagnose, succeeded
from recorder.replay.player import Settings
from recorder.replay.run import replay_task
from recorder.replay.source import Source, source_of
from recorder.trace import build_trace
from recorder.version import SOFTWARE

TRIES = 3
CLAIM_LASTS = timedelta(minutes=30)
LONGEST_AT_OWN_PACE_MS = 10 * 60_000  # a longer attempt is not replayed at the person's own pace
UNCHECKED = "Every step was played, but this website has no check of its own: whether it is done is for people to say."
ONE_AT_A_TIME = threading.Lock()  # a replay has a browser of its own: one in a process is enough


@dataclass(frozen=True)
class Played:
    """What came of replaying: the replay that counts, its pictures, and what is wrong, if anything."""

    replay: results.Replay
    film: pictures.Film
    diagnosis: Diagnosis | None


# Asking for one


def after_round(round_id: int) -> None:
    """Queue a replay of each passed attempt of a complete round that can become a reference."""
    attempts = Attempt.objects.filter(round_id=round_id, round__state="complete", passed=True, recording__isnull=False)
    for attempt in attempts.exclude(round__assignment__role="practice"):
        if not attempt.replays.exists():
            request(attempt)


def request(attempt: Attempt) -> Replay:
    """Queue a replay. Raises NotYet where the attempt did not pass or one is under way."""
    if not attempt.passed or attempt.recording_id is None:
        raise NotYet("not_passed", "Only an attempt that passed can be replayed to the same verdict.")
    try:
        with transaction.atomic():
            number = (attempt.replays.aggregate(last=Max("number"))["last"] or 0) + 1
            replay = Replay.objects.create(attempt=attempt, number=number)
    except IntegrityError as error:  # the race: two who ask at once; the database lets one of them open it
        raise NotYet("replay_open", "A replay of this attempt is under way already.") from error
    jobs.replay_attempt(replay.pk)
    return replay


def to_verify(study: Study) -> QuerySet[Attempt]:
    """Attempts of the study that passed and may become references, with what their newest replay came to: `state`, `outcome`."""
    newest = Replay.objects.filter(attempt=OuterRef("pk")).order_by("-number")
    return (
        Attempt.objects.filter(
            in_figures("round__"), round__participation__study=study, passed=True, recording__isnull=False
        )
        .exclude(round__assignment__role="practice")
        .annotate(state=Subquery(newest.values("state")[:1]), outcome=Subquery(newest.values("outcome")[:1]))
    )


def unverified(study: Study) -> QuerySet[Attempt]:
    """Those of which no replay is under way and the newest one, if any, does not verify."""
    done = Q(state=None) | Q(state="done") & ~Q(outcome="verified")
    return to_verify(study).filter(done).order_by("pk")


def verification(study: Study) -> dict[str, int]:
    """How many attempts passed, and of those how many are verified, wait, failed, were never replayed, are to be replayed."""
    counts = to_verify(study).aggregate(
        passed=Count("pk"),
        verified=Count("pk", filter=Q(state="done", outcome="verified")),
        waiting=Count("pk", filter=Q(state__in=["queued", "running"])),
        never=Count("pk", filter=Q(state=None)),
    )
    failing = counts["passed"] - counts["verified"] - counts["waiting"] - counts["never"]
    return {**counts, "failing": failing, "unverified": failing + counts["never"]}


def ask_for_unverified(study: Study, person: Person) -> int:
    """Have the worker replay what is not verified; returns how many attempts that are now."""
    count = unverified(study).count()
    with transaction.atomic():
        audit.note(study, person, "replay all unverified", "study", after={"attempts": count})
        jobs.replay_unverified(study.pk)
    return count


def request_unverified(study: Study) -> int:
    """Queue a replay of each attempt that is not verified; one that somebody else queued meanwhile is passed over."""
    count = 0
    for attempt in unverified(study).iterator(200):
        try:
            request(attempt)
        except NotYet:
            continue  # another worker, or a lead on the attempt's page, asked for it at this moment
        count += 1
    return count


def again(attempt: Attempt, person: Person) -> Replay:
    """A lead has an attempt replayed once more. Raises NotYet."""
    with transaction.atomic():
        replay = request(attempt)
        audit.note(attempt.round.participation.study, person, "replay again", f"attempt {attempt.pk}")
    return replay


def waiting() -> list[int]:
    """Replays that nobody works on, oldest first."""
    stale = Q(state="running", started_at__lt=timezone.now() - CLAIM_LASTS)
    return list(Replay.objects.filter(Q(state="queued") | stale).order_by("pk").values_list("pk", flat=True)[:20])


# Playing it


def run(replay_id: int) -> None:
    """Play a queued replay and what waits behind it, one at a time in this process; another process's are left alone."""
    if not ONE_AT_A_TIME.acquire(blocking=False):
        return  # whoever holds it goes on with what is queued
    try:
        queue: list[int] = [replay_id]
        while queue:
            run_one(queue.pop(0))
            queue = queue or waiting()[:1]
    finally:
        ONE_AT_A_TIME.release()


def run_one(replay_id: int) -> None:
    """Claim a replay, play it, and write down what came of it."""
    if not claim(replay_id):
        return
    replay = Replay.objects.get(pk=replay_id)
    attempt = load(replay.attempt_id)
    try:
        played = play(attempt)
    except (EnvironmentDown, SessionForgotten, UnknownTask, HarnessError) as error:
        put_off(replay, str(error))
        return
    conclude(replay, played)
    flagging.flag_round(attempt.round_id, "replay")
    references.settle(attempt.round.assignment.task_condition_id)


def claim(replay_id: int) -> bool:
    # The race: a task delivered twice, or two workers. The state in the filter lets one of them play.
    stale = timezone.now() - CLAIM_LASTS
    mine = Replay.objects.filter(pk=replay_id).filter(Q(state="queued") | Q(state="running", started_at__lt=stale))
    return bool(mine.update(state="running", started_at=timezone.now()))


def put_off(replay: Replay, why: str) -> None:
    """Try again later, a few times; then say that it could not be played."""
    fields: dict[str, Any] = {"tries": replay.tries + 1, "why": why}
    if replay.tries + 1 >= TRIES:
        fields |= {"state": "done", "outcome": "not_played", "diagnosis": "not played", "ended_at": timezone.now()}
    else:
        fields |= {"state": "queued"}
    Replay.objects.filter(pk=replay.pk).update(**fields)


def play(attempt: Attempt) -> Played:
    """Replay an attempt's trace fast, then at the person's own pace where that does not give the verdict.

    Nothing of the database is asked while the browser runs. Raises EnvironmentDown, UnknownTask, SessionForgotten, HarnessError.
    """
    assert attempt.recording is not None
    source = source_of(build_trace(attempt.recording, cleaner=cleaner_of(attempt.round.participation.study)))
    words = attempt.instruction or attempt.round.assignment.task_condition.task.instruction
    adapter, ref, session = adapter_of(attempt), task_ref(attempt), attempt.recording.session
    fast, film = once(source, adapter, ref, session, Settings(words=words))
    if succeeded(fast) or too_long(source):
        return Played(fast, film, diagnose(source, fast))
    slow, slow_film = once(source, adapter, ref, session, Settings(pace="original", words=words))
    told = diagnose(source, fast, slow)
    return Played(slow, slow_film, told) if succeeded(slow) else Played(fast, film, told)


def once(
    source: Source, adapter: Adapter, ref: TaskRef, session: str, settings: Settings
) -> tuple[results.Replay, pictures.Film]:
    film = pictures.Film()
    with browser(headless=True) as chromium:
        return replay_task(chromium, source, adapter, ref, settings, session=session, camera=film), film


def too_long(source: Source) -> bool:
    return bool(source.steps) and source.steps[-1]["t"] - source.steps[0]["t"] > LONGEST_AT_OWN_PACE_MS


# Writing it down


def conclude(replay: Replay, played: Played) -> None:
    """Store pictures, steps and outcome."""
    done = played.replay
    kept = {key: store(pictures.encode(played.film.image(key))) for key in played.film.taken}
    frames = [(step, pictures.marked(played.film.image(step.before), step.box)) for step in done.steps if step.before]
    strip = pictures.filmstrip([(image, f"{step.index + 1}  {step.type}") for step, image in frames])
    thumbs = {step.index: store(pictures.encode(image, lossless=False)) for step, image in frames}
    attempt = load(replay.attempt_id)
    with transaction.atomic():
        ReplayStep.objects.filter(replay=replay).delete()
        ReplayStep.objects.bulk_create([step_row(replay, step, kept, thumbs) for step in done.steps])
        Replay.objects.filter(pk=replay.pk).update(
            state="done",
            outcome=outcome_of(done),
            pace=done.pace,
            broke_at=done.broke_at,
            diagnosis=played.diagnosis.kind if played.diagnosis else "",
            why=why_of(played),
            verdict=asdict(done.verdict) if done.verdict else None,
            counts=done.counts(),
            notes=done.notes,
            ms=round(done.ms),
            cleaner=full_name(cleaner_of(attempt.round.participation.study)),
            software=SOFTWARE,
            filmstrip=store(pictures.encode(strip, lossless=False)) if strip else None,
            ended_at=timezone.now(),
        )


def outcome_of(done: results.Replay) -> str:
    """verified, fails_check, breaks or not_played."""
    if done.error:
        return "not_played"
    if done.broke_at is not None:
        return "breaks"
    if done.verdict is None:
        return "not_played"
    return "verified" if done.verdict.passed else "fails_check"


def why_of(played: Played) -> str:
    """What points to the diagnosis; where nobody can score a replay, that."""
    if played.diagnosis:
        return played.diagnosis.words
    return UNCHECKED if outcome_of(played.replay) == "not_played" else ""


def step_row(
    replay: Replay, step: results.StepResult, kept: Mapping[str, Picture], thumbs: Mapping[int, Picture]
) -> ReplayStep:
    return ReplayStep(
        replay=replay,
        index=step.index,
        type=step.type,
        outcome=step.outcome,
        why=step.why,
        locator=step.locator,
        ms=step.ms,
        box=step.box,
        before=kept.get(step.before),
        after=kept.get(step.after),
        thumbnail=thumbs.get(step.index),
    )


def store(encoded: pictures.Encoded) -> Picture:
    """The picture of these pixels, stored unless it is there already."""
    found = Picture.objects.filter(content_hash=encoded.content_hash).first()
    if found:
        return found
    picture = Picture(
        content_hash=encoded.content_hash,
        media_type=encoded.media_type,
        width=encoded.width,
        height=encoded.height,
        size=len(encoded.data),
    )
    picture.file.save(encoded.name, ContentFile(encoded.data), save=False)
    try:
        with transaction.atomic():
            picture.save()
    except IntegrityError:  # the race: the same pixels stored by another worker at this moment
        return Picture.objects.get(content_hash=encoded.content_hash)
    return picture
