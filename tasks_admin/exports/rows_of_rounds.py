"""The rows of the tables that tell what was said of rounds and attempts: ratings, comments, replays, reviews."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from annotate.models import Rating, Replay, Review, Round, Study
from tasks_admin.exports.choice import ALL, Choice
from tasks_admin.exports.rows import NAMING, ORDER, LetOut, Row, attempt_id, attempts_to_export, unnoted
from tasks_admin.release.items import cleared_texts
from tasks_admin.release.items import rows as released

RATED = {  # what a rating is of, by the column that tells it; objects of all these models would take ten times as long
    "annotator": "round__participation__code",
    "environment": "round__assignment__task_condition__task__environment__slug",
    "task": "round__assignment__task_condition__task__slug",
    "condition": "round__assignment__task_condition__condition",
    "round": "round__number",
    "revision": "revision",
}


def rating_rows(study: Study, choice: Choice = ALL) -> Iterator[Row]:
    """The rows of `ratings`, one per answer. Comments are withheld."""
    ratings = Rating.objects.filter(choice.within("round__"), round__participation__study=study)
    order = ("round__participation__code", "round__assignment__position", "round__number", "revision")
    found = ratings.exclude(round__set_aside=Round.SetAside.REMOVED).order_by(*order)
    for answers, *told in found.values_list("answers", *RATED.values()).iterator(1000):
        for item, value in sorted(answers.items()):
            yield dict(zip(RATED, told, strict=True)) | {"item": item, "value": int(value)}


def comment_rows(study: Study, choice: Choice = ALL, let_out: LetOut = unnoted) -> Iterator[Row]:
    """The rows of `comments`: what a lead has cleared, nothing else."""
    for kind in ("comment", "reason"):
        mine = choice.within("" if kind == "reason" else "round__")
        for row in released(study, kind, "cleared").filter(mine).iterator(1000):
            round_ = row if kind == "reason" else row.round
            condition = round_.assignment.task_condition
            let_out(kind, row.pk, "comments")
            yield {
                "annotator": round_.participation.code,
                "environment": condition.task.environment.slug,
                "task": condition.task.slug,
                "condition": condition.condition,
                "round": round_.number,
                "kind": kind,
                "text": row.comment if kind == "comment" else row.reason,
            }


def replay_rows(study: Study, choice: Choice = ALL, masked: Callable[[str], str] = str) -> Iterator[Row]:
    """The rows of `replays`: every one that ended, of attempts that are exported; `masked` is applied to what points to a diagnosis."""
    replays = Replay.objects.filter(state="done", attempt__in=attempts_to_export(study, choice)).select_related(
        *(f"attempt__{path}" for path in NAMING)
    )
    for replay in replays.order_by(*(f"attempt__{path}" for path in ORDER), "number").iterator(1000):
        verdict = replay.verdict or {"score": None, "passed": None}
        yield {
            "attempt_id": attempt_id(replay.attempt),
            "replay": replay.number,
            "outcome": replay.outcome,
            "pace": replay.pace or None,
            "broke_at": replay.broke_at,
            "diagnosis": replay.diagnosis or None,
            "why": masked(replay.why) or None,
            "score": verdict["score"],
            "passed": verdict["passed"],
            **{outcome: replay.counts.get(outcome, 0) for outcome in ("done", "healed", "failed", "skipped")},
            "ms": replay.ms,
            "cleaner": replay.cleaner or None,
            "software": replay.software or None,
        }


def review_rows(study: Study, choice: Choice = ALL, let_out: LetOut = unnoted) -> Iterator[Row]:
    """The rows of `reviews`: every decision on an exported round, once per attempt, with its reason where that was cleared."""
    names: dict[int, list[str]] = {}
    for attempt in attempts_to_export(study, choice).filter(round__reviews__isnull=False).distinct().iterator(200):
        names.setdefault(attempt.round_id, []).append(attempt_id(attempt))
    cleared = cleared_texts(study, "review")
    order = ("round__participation__code", "round__assignment__position", "round__number", "pk")
    for review in Review.objects.filter(round__in=names).order_by(*order).iterator(1000):
        if review.pk in cleared:
            let_out("review", review.pk, "reviews")
        for name in names[review.round_id]:
            yield {
                "attempt_id": name,
                "decision": review.decision,
                "stands": review.is_current,
                "flags": sorted({flag["rule"] for flag in review.flags}),
                "reason": cleared.get(review.pk),
            }
