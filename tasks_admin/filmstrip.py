"""What the attempt page shows of its newest replay: the state in words, and a frame per step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from annotate.models import Attempt, Replay, ReplayStep
from tasks_admin.viewer import name_of

WORDS = {"verified": "verified", "fails_check": "replays but fails the check", "not_played": "not replayed"}
TONES = {"verified": "good", "fails_check": "bad", "breaks": "bad", "not_played": "warn"}


@dataclass(frozen=True)
class Shown:
    """A replay with its state in words, the pill's tone, and its steps in order, each with its target's name."""

    replay: Replay
    words: str
    tone: str
    frames: list[tuple[ReplayStep, str]]


def of(attempt: Attempt, steps: list[dict[str, Any]]) -> Shown | None:
    """The attempt's newest replay, or None where it was never replayed. `steps` are those of its trace."""
    newest = attempt.replays.select_related("filmstrip").order_by("-number").first()
    if newest is None:
        return None
    played = newest.steps.select_related("before", "after", "thumbnail")
    frames = [(step, target_of(steps[step.index]) if step.index < len(steps) else "") for step in played]
    return Shown(newest, words(newest), TONES.get(newest.outcome, ""), frames)


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
