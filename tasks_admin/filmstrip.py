"""What the attempt page shows of its newest replay: the state in words, and a frame per step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from annotate.models import Attempt, Replay, ReplayStep, Round
from tasks_admin.viewer.rows import name_of

WORDS = {"verified": "verified", "fails_check": "replays but fails the check", "not_played": "not replayed"}
TONES = {"verified": "good", "fails_check": "bad", "breaks": "bad", "not_played": "warn"}


@dataclass(frozen=True)
class Shown:
    """A replay with its state in words, the pill's tone, some of its steps in order, each with its target's name, and how many
    steps it has; `earlier` and `later` are where the neighbouring pieces begin, None where there are none."""

    replay: Replay
    words: str
    tone: str
    frames: list[tuple[ReplayStep, str]]
    total: int
    earlier: int | None
    later: int | None


def of(attempt: Attempt, steps: list[dict[str, Any]], first: int, count: int) -> Shown | None:
    """The attempt's newest replay with `count` of its steps from `first` on, or None where it was never replayed."""
    newest = attempt.replays.select_related("filmstrip").order_by("-number").first()
    if newest is None:
        return None
    total = newest.steps.count()
    first = first if first < total else 0
    played = newest.steps.select_related("before", "after", "thumbnail")[first : first + count]
    frames = [(step, target_of(steps[step.index]) if step.index < len(steps) else "") for step in played]
    later = first + count if first + count < total else None
    return Shown(
        newest,
        words(newest),
        TONES.get(newest.outcome, ""),
        frames,
        total,
        max(0, first - count) if first else None,
        later,
    )


def why_none(attempt: Attempt) -> str:
    """Why an attempt that was never replayed was not, for a lead."""
    round_ = attempt.round
    if round_.set_aside == Round.SetAside.REMOVED:
        return "Its recording was removed, for the person took their data back: it cannot be replayed."
    if attempt.passed is None:
        return "It is replayed once it has passed."
    if not attempt.passed:
        return "Only attempts that passed are replayed."
    if round_.assignment.role == "practice":
        return "Not replayed: practice never becomes a reference."
    return "Not replayed yet."


def pictures_of(attempt: Attempt) -> list[dict[str, Any]]:
    """Per step of the newest replay that has pictures: {index, before (a picture's hash), outcome}."""
    newest = attempt.replays.filter(state="done").order_by("-number").first()
    if newest is None:
        return []
    played = newest.steps.filter(before__isnull=False).values_list("index", "before__content_hash", "outcome")
    return [{"index": index, "before": before, "outcome": outcome} for index, before, outcome in played]


def target_of(step: dict[str, Any]) -> str:
    """What a step was done to, as people say it."""
    target = step.get("target") or step.get("from")
    return name_of(target) if target else ""


def words(replay: Replay) -> str:
    """The state of a replay as a lead reads it."""
    if replay.state != "done":
        return {"queued": "waiting for its replay", "running": "replaying now"}[replay.state]
    if replay.outcome == "breaks":
        return f"breaks at step {replay.broke_at}"
    return WORDS[replay.outcome]


def pills(attempts: list[Attempt]) -> dict[int, dict[str, Any]]:
    """{attempt id: {words, tone}} of the newest replay of each attempt of a list, in one query."""
    replays = Replay.objects.filter(attempt__in=attempts).order_by("number")
    return {replay.attempt_id: {"words": words(replay), "tone": TONES.get(replay.outcome, "")} for replay in replays}
