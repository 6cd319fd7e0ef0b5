"""Decisions and claims: what each does to figures and references, that both stay, and that two leads are never on one item."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from annotate import tallies
from annotate.actions import flagging, reviews, rounds
from annotate.actions import references as choosing
from annotate.counting import faulty_tasks, in_figures
from annotate.errors import BadInput, MovedOn, NotYet
from annotate.models import (
    Assignment,
    Attempt,
    AuditEntry,
    Note,
    Person,
    Reference,
    Replay,
    Review,
    ReviewItem,
    Round,
    Study,
    StudyRole,
)
from annotate.stages import corrections
from tasks_admin.exports.bundle import export
from tasks_admin.exports.verify import verify
from tests.annotate.test_races import at_once
from tests.annotate.test_references import verified
from tests.annotate.test_rounds import complete, ready
from tests.cast import Cast, person


@pytest.fixture
def flagged(cast: Cast) -> Round:
    """Ann's complete round with verified replays and a comment."""
    round_ = complete(cast, cast.ann)
    verified(round_)
    choosing.settle(round_.assignment.task_condition_id)
    rounds.rate(round_, {}, "hm")
    return round_


@pytest.fixture
def second(cast: Cast) -> Person:
    lead = person("lisa.lead")
    StudyRole.objects.create(study=cast.study, person=lead, role="lead")
    return lead


def reference() -> Attempt | None:
    return Reference.objects.get(is_current=True).attempt


def counted() -> int:
    return Attempt.objects.filter(in_figures("round__")).count()


def test_a_flag_takes_the_reference_and_accepting_gives_it_back(cast: Cast, flagged: Round) -> None:
    assert reference() is None
    assert ReviewItem.objects.get().state == "open"
    reviews.decide(flagged, cast.lead, "accept")
    assert reference() == flagged.attempts.get(kind="warm")
    assert (ReviewItem.objects.get().state, counted()) == ("decided", 2)
    assert Review.objects.get().flags == [
        {"rule": "comment", "attempt": None, "reason": "left a comment of 2 characters"}
    ]


def test_a_flag_that_comes_later_opens_it_again(cast: Cast, flagged: Round) -> None:
    reviews.decide(flagged, cast.lead, "accept_alternate")
    rounds.rate(flagged, {"clarity": 1}, "hm")
    assert ReviewItem.objects.get().state == "open"
    assert reference() is None
    rounds.rate(flagged, {"clarity": 2}, "hm, hm")  # the same flags with other numbers
    reviews.decide(flagged, cast.lead, "accept")
    flagging.flag_round(flagged.pk, "rating")
    assert ReviewItem.objects.get().state == "decided"


def test_excluding_leaves_it_out_and_a_later_decision_takes_it_in(cast: Cast, flagged: Round) -> None:
    with pytest.raises(BadInput, match="Say why"):
        reviews.decide(flagged, cast.lead, "exclude", "  ")
    reviews.decide(flagged, cast.lead, "exclude", "A cat on the keyboard.")
    assert (reference(), counted()) == (None, 0)
    assert "a review excluded it" in Reference.objects.get(is_current=True).reason
    assert tallies.count(cast.study)["rates"] == []
    reviews.decide(flagged, cast.lead, "accept")
    assert (reference(), counted()) == (flagged.attempts.get(kind="warm"), 2)
    assert [(one.decision, one.is_current) for one in Review.objects.all()] == [("exclude", False), ("accept", True)]
    told = AuditEntry.objects.get(action="review: accept")
    assert told.before == {"decision": "exclude", "reason": "A cat on the keyboard."}
    assert told.subject == "round 1 of P1 on buy-tea, clean"


def test_a_faulty_task_is_left_out_with_all_its_attempts(cast: Cast, flagged: Round, tmp_path: Path) -> None:
    other = complete(cast, cast.bob)
    verified(other)
    choosing.settle(other.assignment.task_condition_id)
    assert counted() == 4
    reviews.decide(flagged, cast.lead, "task_faulty", "The shop sells no tea.")
    assert counted() == 0
    Replay.objects.update(verdict={"score": 1.0, "passed": True})
    assert [task.slug for task in faulty_tasks(cast.study)] == ["buy-tea"]
    assert not Reference.objects.filter(is_current=True, attempt__isnull=False).exists()
    written = export(cast.study, tmp_path / "bundle")
    assert written.manifest["faulty_tasks"] == [{"environment": "toyshop", "task": "buy-tea"}]
    assert written.manifest["attempts_by_status"]["task_faulty"] == 4
    assert written.manifest["counts"]["reviews"] == 2
    assert verify(written.folder) == []
    reviews.decide(flagged, cast.lead, "accept")
    assert counted() == 4
    assert Reference.objects.filter(is_current=True, attempt__isnull=False).count() == 2


def test_returning_tells_the_annotator_and_opens_a_new_round(cast: Cast, flagged: Round) -> None:
    with pytest.raises(BadInput, match="the annotator"):
        reviews.decide(flagged, cast.lead, "return")
    reviews.decide(flagged, cast.lead, "return", "Please use the search.")
    assert Note.objects.get().text == "Please use the search."
    assert Assignment.objects.get(pk=flagged.assignment_id).state == "not_started"
    again = complete(cast, cast.ann)
    verified(again)
    choosing.settle(again.assignment.task_condition_id)
    assert (again.number, reference()) == (2, again.attempts.get(kind="warm"))
    with pytest.raises(NotYet, match="later round"):
        reviews.decide(cast.fresh(flagged), cast.lead, "return", "Once more.")


def test_a_return_that_cannot_be_is_not_kept(cast: Cast, flagged: Round) -> None:
    reviews.decide(flagged, cast.lead, "return", "Again.")
    with pytest.raises(MovedOn):
        reviews.decide(cast.fresh(flagged), cast.lead, "return", "Again, please.")
    assert Review.objects.count() == 1


def test_what_cannot_be_decided(cast: Cast, flagged: Round) -> None:
    with pytest.raises(BadInput, match="no decision"):
        reviews.decide(flagged, cast.lead, "delete")
    with pytest.raises(BadInput, match="your own work"):
        reviews.decide(flagged, cast.ann, "accept")
    with pytest.raises(NotYet, match="complete"):
        reviews.decide(ready(cast, cast.bob), cast.lead, "accept")


def test_a_round_without_flags_can_be_decided_on_too(cast: Cast) -> None:
    round_ = complete(cast, cast.ann)
    reviews.decide(round_, cast.lead, "exclude", "It was done by somebody else.")
    assert (ReviewItem.objects.get().state, counted()) == ("decided", 0)


def test_a_claim_holds_for_a_while(cast: Cast, flagged: Round, second: Person) -> None:
    item = ReviewItem.objects.get()
    reviews.claim(item, cast.lead)
    reviews.claim(item, cast.lead)
    with pytest.raises(reviews.Claimed, match="Another lead"):
        reviews.claim(item, second)
    with pytest.raises(reviews.Claimed):
        reviews.decide(flagged, second, "accept")
    assert reviews.claim_next(ReviewItem.objects.all(), second) is None
    ReviewItem.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    assert reviews.claim_next(ReviewItem.objects.all(), second) == item
    reviews.release(item, cast.lead)  # not theirs any more
    with pytest.raises(reviews.Claimed):
        reviews.claim(item, cast.lead)
    reviews.release(item, second)
    reviews.claim(item, cast.lead)


def test_two_leads_claim_at_once(cast: Cast, flagged: Round, second: Person) -> None:
    item = ReviewItem.objects.get()
    results = at_once(lambda: reviews.claim(item, cast.lead), lambda: reviews.claim(item, second))
    assert sorted(isinstance(result, reviews.Claimed) for result in results) == [False, True]


def test_two_leads_press_next_at_once(cast: Cast, flagged: Round, second: Person) -> None:
    rounds.rate(complete(cast, cast.bob), {}, "hm")
    items = ReviewItem.objects.all()
    got = at_once(lambda: reviews.claim_next(items, cast.lead), lambda: reviews.claim_next(items, second))
    assert sorted(item.pk for item in got) == [item.pk for item in items]


def test_two_leads_decide_at_once(cast: Cast, flagged: Round, second: Person) -> None:
    at_once(
        lambda: reviews.decide(flagged, cast.lead, "accept"),
        lambda: reviews.decide(cast.fresh(flagged), second, "exclude", "No."),
    )
    assert Review.objects.count() == 2
    assert Review.objects.filter(is_current=True).count() == 1
    assert AuditEntry.objects.filter(action__startswith="review").count() == 2


def staged(cast: Cast) -> Round:
    """Ann's complete round, unflagged, in a study that reviews every round three times; its replays are verified."""
    Study.objects.filter(pk=cast.study.pk).update(options=cast.study.options | {"review_stages": "three"})
    round_ = complete(cast, cast.ann)
    verified(round_)
    choosing.settle(round_.assignment.task_condition_id)
    return round_


def test_in_stages_each_round_is_looked_at_by_others_each_time(cast: Cast, second: Person) -> None:
    round_ = staged(cast)
    item = ReviewItem.objects.get()
    assert item.stages == ["cross-validation", "quality review", "final verification"]
    reviews.decide(round_, cast.lead, "accept")
    assert reference() is None
    with pytest.raises(BadInput, match="earlier stage"):
        reviews.decide(round_, cast.lead, "accept")
    with pytest.raises(BadInput, match="earlier stage"):
        reviews.claim(ReviewItem.objects.get(), cast.lead)
    assert reviews.claim_next(ReviewItem.objects.all(), cast.lead) is None
    assert reviews.claim_next(ReviewItem.objects.all(), second) == item
    reviews.decide(round_, second, "accept_alternate")
    third = person("lora.lead")
    reviews.decide(round_, third, "accept")
    assert ReviewItem.objects.get().state == "decided"
    assert reference() == round_.attempts.get(kind="warm")
    assert [row["n"] for row in corrections(cast.study)] == [1, 1, 1]


def test_a_correction_ends_the_stages_and_is_told_as_a_rate(cast: Cast, second: Person) -> None:
    round_ = staged(cast)
    reviews.decide(round_, cast.lead, "accept")
    reviews.decide(round_, second, "exclude", "It was somebody else's account.")
    assert (ReviewItem.objects.get().state, ReviewItem.objects.get().stages) == ("decided", [])
    assert corrections(cast.study) == [
        {"stage": "cross-validation", "n": 1, "corrected": 0, "rate": 0.0},
        {"stage": "quality review", "n": 1, "corrected": 1, "rate": 1.0},
    ]


def test_nobody_reviews_their_own_round_in_any_stage(cast: Cast) -> None:
    round_ = staged(cast)
    StudyRole.objects.create(study=cast.study, person=cast.ann, role="lead")
    assert reviews.claim_next(ReviewItem.objects.all(), cast.ann) is None
    with pytest.raises(BadInput, match="your own work"):
        reviews.decide(round_, cast.ann, "accept")


def test_what_is_said_is_kept_whole(cast: Cast, flagged: Round) -> None:
    text = "<b>\u05e9\u05dc\u05d5\u05dd</b> \U0001f600 " + "x" * 100_000
    reviews.decide(flagged, cast.lead, "exclude", text)
    assert Review.objects.get().reason == text
