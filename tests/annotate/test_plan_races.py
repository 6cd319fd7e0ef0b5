"""Plans with two connections at once: of two searches one goes on, and a change never meets what is being begun."""

from __future__ import annotations

import pytest

from annotate.actions import apply_plan, plans, rounds
from annotate.actions.apply_plan import OldPlan
from annotate.errors import NotYet
from annotate.models import Assignment, PlanDraft, Round
from tests.annotate.test_races import at_once
from tests.annotate.test_replans import whole
from tests.cast import Cast
from tests.designed import draft_study, found, part, running

pytestmark = pytest.mark.django_db


def test_of_two_searches_at_once_one_goes_on(cast: Cast) -> None:
    study = draft_study(cast.lead)
    results = at_once(*[lambda: plans.ask_for(study, cast.lead)] * 2)
    assert {type(result) for result in results} == {NotYet, PlanDraft}
    assert study.plans.count() == 1


@pytest.mark.parametrize("turn", range(3))
def test_a_start_races_with_the_change(cast: Cast, turn: int) -> None:
    study = running(cast)
    study.participations.filter(code="P1").update(capacity=1)
    draft = found(cast, study)
    moved = Assignment.objects.get(pk=draft.changes[turn % len(draft.changes)]["assignment"])
    who = part(study, "P1").person
    assert who is not None
    applied, opened = at_once(
        lambda: apply_plan.apply_replan(draft, cast.lead, "less time"), lambda: rounds.open_round(who, moved)
    )
    moved.refresh_from_db()
    if isinstance(applied, OldPlan):
        assert (moved.state, opened.assignment_id) == ("in_round", moved.pk)
        assert not Assignment.objects.filter(state="withdrawn").exists()
    else:
        assert (moved.state, Round.objects.count()) == ("withdrawn", 0)
        assert isinstance(opened, Exception)
    whole(study)
