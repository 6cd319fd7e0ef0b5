"""Replans of running studies: what was begun stays where it is, in the database too, whatever happens at the same moment."""

from __future__ import annotations

from collections import Counter

import pytest

from annotate.actions import apply_plan, rounds
from annotate.actions.apply_plan import OldPlan
from annotate.actions.leaving import ask_to_leave, take_back
from annotate.actions.people import set_active
from annotate.errors import BadInput
from annotate.models import Amendment, Assignment, Participation, PlanDraft, Round, Study
from tests.cast import Cast, person
from tests.designed import found, light_cast, next_of, part, running

pytestmark = pytest.mark.django_db
cast = light_cast


def live(study: Study) -> list[Assignment]:
    rows = Assignment.objects.filter(participation__study=study).exclude(role="practice").exclude(state="withdrawn")
    return list(
        rows.select_related("participation", "task_condition__task").order_by("participation__code", "position")
    )


def holders(study: Study) -> dict[tuple[int, str], str]:
    return {(one.task_condition_id, one.role): one.participation.code for one in live(study)}


def leave(study: Study, code: str) -> None:
    study.participations.filter(code=code).update(is_active=False)


def finish(assignment: Assignment) -> None:
    """The assignment is done, in a round that counts."""
    Round.objects.create(
        assignment=assignment,
        participation=assignment.participation,
        person=assignment.participation.person,
        number=1,
        state="complete",
        control_seen_at=assignment.participation.study.created_at,
        ended_at=assignment.participation.study.created_at,
    )
    Assignment.objects.filter(pk=assignment.pk).update(state="complete")


def whole(study: Study) -> None:
    """Every task-condition has one primary, nobody meets a task twice, places are 1, 2, 3, …"""
    rows = live(study)
    primary = Counter(one.task_condition_id for one in rows if one.role == "primary")
    assert set(primary.values()) == {1}
    assert len(primary) == 16
    assert max(Counter((one.participation_id, one.task_condition.task_id) for one in rows).values()) == 1
    for code in {one.participation.code for one in rows if one.participation.is_active}:
        places = [one.position for one in rows if one.participation.code == code]
        assert len(places) == len(set(places))


def test_who_leaves_keeps_what_was_begun_and_the_rest_goes_to_the_others(cast: Cast) -> None:
    study = running(cast)
    done, open_ = next_of(study, "P2"), next_of(study, "P2", 1)
    finish(done)
    rounds.open_round(part(study, "P2").person, open_)  # type: ignore[arg-type]
    leave(study, "P2")
    before = holders(study)
    draft = found(cast, study)
    assert (draft.kind, draft.state) == ("replan", "done")
    assert {change["from"] for change in draft.changes} >= {"P2"}
    assert apply_plan.apply_replan(draft, cast.lead, "P2 moved away") == len(draft.changes)
    whole(study)
    after = holders(study)
    kept = {(done.task_condition_id, "primary"), (open_.task_condition_id, "primary")}
    assert {key for key, code in after.items() if code == "P2"} == kept
    assert {key for key in before if before[key] != after[key]} <= set(before) - kept
    withdrawn = Assignment.objects.filter(participation__study=study, state="withdrawn")
    assert withdrawn.count() == len(draft.changes)
    assert {move.why for one in withdrawn for move in one.transitions.all()} == {"planned anew: P2 moved away"}
    amendment = Amendment.objects.get()
    assert (amendment.kind, amendment.subject, amendment.reason) == ("plan", "plan 2", "P2 moved away")
    assert sum(amendment.before.values()) == sum(amendment.after.values()) == 20


def test_who_joins_gets_a_share_and_the_practice(cast: Cast) -> None:
    study = running(cast)
    finish(next_of(study, "P1"))
    Participation.objects.create(study=study, code="P4", person=person("new.one"))
    draft = found(cast, study)
    apply_plan.apply_replan(draft, cast.lead, "more hands")
    whole(study)
    loads = Counter(one.participation.code for one in live(study) if one.role == "primary")
    assert loads["P4"] == 4
    assert Assignment.objects.filter(participation__code="P4", role="practice", position=0).exists()


def test_nothing_changes_where_nothing_has_to(cast: Cast) -> None:
    study = running(cast)
    before = holders(study)
    draft = found(cast, study)
    assert draft.changes == []
    assert apply_plan.apply_replan(draft, cast.lead, "to be sure") == 0
    assert holders(study) == before


def test_somebody_who_began_a_task_and_stays_keeps_it(cast: Cast) -> None:
    study = running(cast)
    assignment = next_of(study, "P1")
    round_ = rounds.open_round(part(study, "P1").person, assignment)  # type: ignore[arg-type]
    rounds.abandon(round_, part(study, "P1").person, "phone")  # type: ignore[arg-type]
    study.participations.filter(code="P1").update(capacity=0)
    draft = found(cast, study)
    apply_plan.apply_replan(draft, cast.lead, "P1 has no time")
    assert [one.pk for one in live(study) if one.participation.code == "P1"] == [assignment.pk]
    whole(study)


def test_what_was_begun_meanwhile_stops_the_whole_change(cast: Cast) -> None:
    study = running(cast)
    study.participations.filter(code="P1").update(capacity=1)
    draft = found(cast, study)
    moved = Assignment.objects.get(pk=draft.changes[0]["assignment"])
    rounds.open_round(part(study, "P1").person, moved)  # type: ignore[arg-type]
    before = holders(study)
    with pytest.raises(OldPlan, match="P1 has begun .* meanwhile. Nothing was changed"):
        apply_plan.apply_replan(draft, cast.lead, "less time")
    assert holders(study) == before
    assert not Amendment.objects.exists()


def test_a_round_that_began_and_ended_meanwhile_stops_it_too(cast: Cast) -> None:
    study = running(cast)
    study.participations.filter(code="P1").update(capacity=1)
    draft = found(cast, study)
    moved = Assignment.objects.get(pk=draft.changes[0]["assignment"])
    who = part(study, "P1").person
    assert who is not None
    rounds.abandon(rounds.open_round(who, moved), who, "phone")
    with pytest.raises(OldPlan, match="meanwhile"):
        apply_plan.apply_replan(draft, cast.lead, "less time")


def test_a_change_of_people_after_the_search_is_refused(cast: Cast) -> None:
    study = running(cast)
    leave(study, "P2")
    draft = found(cast, study)
    study.participations.filter(code="P1").update(capacity=2)
    with pytest.raises(OldPlan, match="design has changed"):
        apply_plan.apply_replan(draft, cast.lead, "x")


def test_a_change_needs_its_reason(cast: Cast) -> None:
    study = running(cast)
    leave(study, "P2")
    draft = found(cast, study)
    before = holders(study)
    with pytest.raises(BadInput, match="say why"):
        apply_plan.apply_replan(draft, cast.lead, " ")
    assert holders(study) == before


def test_an_impossible_rest_says_why(cast: Cast) -> None:
    study = running(cast)
    for code in ("P1", "P2"):
        leave(study, code)
    draft = found(cast, study)
    assert draft.result["status"] == "infeasible"
    assert draft.changes == []
    assert "P3 may still do" in draft.result["conflicts"][0]
    assert PlanDraft.objects.filter(applied_at=None, pk=draft.pk).exists()


def test_what_somebody_took_back_with_their_data_is_given_out_again(cast: Cast) -> None:
    study = running(cast)
    done = next_of(study, "P2")
    finish(done)
    Round.objects.update(set_aside="removed", person=None)
    Assignment.objects.filter(pk=done.pk).update(state="withdrawn")
    withdrawn = next_of(study, "P1")  # by a lead: it stays out
    Assignment.objects.filter(pk=withdrawn.pk).update(state="withdrawn")
    leave(study, "P2")
    draft = found(cast, study)
    apply_plan.apply_replan(draft, cast.lead, "P2 took the data back")
    after = holders(study)
    assert after[done.task_condition_id, "primary"] in ("P1", "P3")
    assert (withdrawn.task_condition_id, "primary") not in after
    assert "P2" not in after.values()


def test_who_comes_or_goes_in_a_running_study_is_an_amendment(cast: Cast) -> None:
    study = running(cast)
    set_active(part(study, "P1"), cast.lead, active=False, why="holidays")
    set_active(part(study, "P1"), cast.lead, active=True, why="back")
    wish = ask_to_leave(part(study, "P3"), "keep_data")
    take_back(wish)
    rows = list(Amendment.objects.values_list("number", "kind", "subject", "reason"))
    assert rows == [
        (1, "left", "P1", "holidays"),
        (2, "returned", "P1", "back"),
        (3, "left", "P3", "asked to leave the study"),
        (4, "returned", "P3", "took back the wish to leave"),
    ]
    Study.objects.filter(pk=study.pk).update(state="draft")
    set_active(part(study, "P1"), cast.lead, active=False, why="holidays")
    assert Amendment.objects.count() == 4
