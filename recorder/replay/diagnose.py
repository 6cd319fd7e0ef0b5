"""Why a trace does not replay: missing locator, changed page, lost step, timing, or a secret that was never recorded."""

from __future__ import annotations

from dataclasses import dataclass

from recorder.replay.results import Replay, StepResult
from recorder.replay.source import Source, Step
from recorder.replay.stage import path_of

MISSING_LOCATOR, CHANGED_PAGE, LOST_STEP, TIMING, SECRET, NOT_PLAYED = (
    "missing locator", "changed page", "lost step", "timing", "secret", "not played",
)  # fmt: skip


@dataclass(frozen=True)
class Diagnosis:
    """`kind` is one of the above; `words` say what points to it."""

    kind: str
    words: str


def diagnose(source: Source, fast: Replay, original: Replay | None = None) -> Diagnosis | None:
    """What is wrong, or None where nothing is. `original` is the same trace replayed at the person's own pace."""
    if succeeded(fast):
        return None
    if original is not None and succeeded(original):
        return Diagnosis(TIMING, f"At the person's own pace it works; fast, {what_failed(fast)}")
    last = original or fast
    if last.error:
        return Diagnosis(NOT_PLAYED, last.error)
    if last.broke_at is None:
        return lost(source, last)
    return broken(source, source.steps[last.broke_at - 1], last.steps[last.broke_at - 1])


def succeeded(replay: Replay) -> bool:
    """True where every step was played and, if it was scored, it passed."""
    return replay.played and (replay.verdict is None or replay.verdict.passed)


def what_failed(replay: Replay) -> str:
    if replay.broke_at is None:
        return "every step is played, but the check fails." if not replay.error else replay.error
    return f"step {replay.broke_at} fails: {replay.steps[replay.broke_at - 1].why}"


def broken(source: Source, step: Step, result: StepResult) -> Diagnosis:
    """Of a step that failed."""
    if result.why.startswith("Secret values"):
        return Diagnosis(SECRET, result.why)
    target = step.get("from") or step.get("target") or {}
    if target and not locatable(target):
        return Diagnosis(MISSING_LOCATOR, f"No locator found only this element when it was recorded. {result.why}")
    then = path_of(source.url_of(step.get("doc")))
    if result.page and source.url_of(step.get("doc")) and bare(result.page) != bare(then):
        words = f"The step was done on {bare(then)}, the replay stands on {bare(result.page)}: what led there is not among the steps."
        return Diagnosis(LOST_STEP, words)
    return Diagnosis(CHANGED_PAGE, result.why)


def locatable(target: dict[str, object]) -> bool:
    """Whether any locator found exactly this element at the time; true where nothing was counted."""
    counted = target.get("matches")
    counts = [count for count in counted.values() if isinstance(count, int)] if isinstance(counted, dict) else []
    return not counts or 1 in counts or bool(target.get("text"))


def bare(path: str) -> str:
    """A path without its query: sessions and searches differ."""
    return path.split("?")[0].rstrip("/") or "/"


def lost(source: Source, replay: Replay) -> Diagnosis:
    """Of a trace whose steps all play, while the check fails."""
    blind = sorted({str(event.get("reason")) for event in source.events if event["type"] == "blind"})
    healed = [step for step in replay.steps if step.why]
    words = "Every step is played, yet the check fails: something that was done is not among the steps."
    if blind:
        words += f" The recorder could not see: {', '.join(blind)}."
    if healed:
        words += f" Step {healed[0].index + 1} was not played as recorded: {healed[0].why}."
    if replay.notes:
        words += " " + " ".join(replay.notes)
    return Diagnosis(LOST_STEP, words)
