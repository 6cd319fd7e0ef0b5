"""Plans are found by the worker, refused once the design has changed, and applied as a whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError

from annotate import designs
from annotate.actions import apply_plan, plans
from annotate.actions.apply_plan import OldPlan
from annotate.design.model import Plan, read_design
from annotate.errors import MovedOn, NotYet
from annotate.models import Assignment, AuditEntry, Participation, PlanDraft, Study, Task, TaskCondition
from recorder.errors import FootpathError
from tests.cast import Cast
from tests.design.check import broken
from tests.designed import draft_study, found, light_cast, part, planned

pytestmark = pytest.mark.django_db
cast = light_cast


def written(study: Study) -> set[tuple[str, str, str, str, int]]:
    rows = Assignment.objects.filter(participation__study=study).exclude(role="practice")
    return set(
        rows.values_list(
            "task_condition__task__slug", "task_condition__condition", "participation__code", "role", "position"
        )
    )


def test_a_plan_is_found_and_applied_as_it_was_shown(cast: Cast) -> None:
    study = draft_study(cast.lead)
    draft = found(cast, study)
    assert (draft.state, draft.kind, draft.asked_by, draft.stage) == ("done", "plan", cast.lead, "")
    plan = Plan.model_validate(draft.result)
    assert (plan.status, broken(read_design(draft.design), plan)) == ("optimal", [])
    assert apply_plan.apply_plan(draft, cast.lead) == len(plan.assignments) == 16 + 4
    assert written(study) == {(one.task, one.condition, one.code, one.role, one.position) for one in plan.assignments}
    variants = TaskCondition.objects.filter(study=study, condition="intervention").values_list(
        "variant__slug", "task__slug"
    )
    assert all(variant == f"{task}--v" for variant, task in variants)
    entry = AuditEntry.objects.get(study=study)
    assert (entry.action, entry.before, sum(entry.after.values())) == ("apply plan", {}, 20)


def test_everybody_gets_the_practice_first(cast: Cast) -> None:
    study = planned(cast)
    first = Assignment.objects.filter(participation__study=study, role="practice")
    assert set(first.values_list("participation__code", flat=True)) == {"P1", "P2", "P3", "D1"}
    assert set(first.values_list("position", "task_condition__task__slug", "task_condition__condition")) == {
        (0, "warm-up", "clean")
    }
    assert "warm-up" not in {row[0] for row in written(study)}


def test_the_same_design_gives_the_same_plan(cast: Cast) -> None:
    study = draft_study(cast.lead)
    one, two = found(cast, study), found(cast, study)
    assert (one.number, two.number) == (1, 2)
    assert (one.result, one.design_hash) == (two.result, two.design_hash)


def test_an_impossible_design_keeps_its_sentences(cast: Cast) -> None:
    study = draft_study(cast.lead)
    study.participations.filter(tier="primary").update(exclusions=["bakery"])
    draft = found(cast, study)
    assert (draft.state, draft.result["status"]) == ("done", "infeasible")
    assert draft.result["conflicts"][0].startswith("Nobody may do bakery")
    with pytest.raises(OldPlan, match="no plan to apply"):
        apply_plan.apply_plan(draft, cast.lead)


def another_version(study: Study) -> None:
    old = Task.objects.get(slug="bakery-easy-0")
    Task.objects.filter(pk=old.pk).update(is_current=False)
    Task.objects.create(
        environment=old.environment, slug=old.slug, title="New", instruction="New.", difficulty="easy", version=2
    )


CHANGES: dict[str, Callable[[Study], object]] = {
    "seed": lambda study: Study.objects.filter(pk=study.pk).update(seed=5),
    "capacity": lambda study: study.participations.filter(code="P1").update(capacity=3),
    "exclusion": lambda study: study.participations.filter(code="P1").update(exclusions=["bakery"]),
    "somebody left": lambda study: study.participations.filter(code="P1").update(is_active=False),
    "somebody came": lambda study: Participation.objects.create(study=study, code="P4"),
    "panel": lambda study: Study.objects.filter(pk=study.pk).update(design=study.design | {"panel": {"rule": "all"}}),
    "catalogue": another_version,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_plan_of_another_design_is_refused(cast: Cast, change: Callable[[Study], object]) -> None:
    study = draft_study(cast.lead)
    draft = found(cast, study)
    change(study)
    with pytest.raises(OldPlan, match="The design has changed since"):
        apply_plan.apply_plan(draft, cast.lead)
    assert written(study) == set()


def test_a_newer_plan_takes_the_place_of_the_earlier_one(cast: Cast) -> None:
    study = draft_study(cast.lead)
    first = found(cast, study)
    apply_plan.apply_plan(first, cast.lead)
    with pytest.raises(OldPlan, match="applied already"):
        apply_plan.apply_plan(first, cast.lead)
    Study.objects.filter(pk=study.pk).update(seed=3)
    study.refresh_from_db()
    before = written(study)
    apply_plan.apply_plan(found(cast, study), cast.lead)
    assert written(study) != before
    assert len(written(study)) == 20


def test_nothing_is_planned_in_a_closed_study_nor_written_into_a_running_one(cast: Cast) -> None:
    study = draft_study(cast.lead)
    draft = found(cast, study)
    Study.objects.filter(pk=study.pk).update(state="frozen")
    with pytest.raises(MovedOn):
        apply_plan.apply_plan(draft, cast.lead)
    study.state = "closed"
    with pytest.raises(NotYet, match="closed"):
        plans.ask_for(study, cast.lead)


def test_a_plan_delivered_twice_is_found_once(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    draft = found(cast, draft_study(cast.lead))
    monkeypatch.setattr(plans, "keep", lambda draft: pytest.fail("found again"))
    plans.run(draft.pk)


def test_a_search_whose_worker_was_lost_is_given_up(cast: Cast) -> None:
    study = draft_study(cast.lead)
    draft = plans.ask_for(study, cast.lead)
    with pytest.raises(NotYet, match="looked for already"):
        plans.ask_for(study, cast.lead)
    PlanDraft.objects.filter(pk=draft.pk).update(created_at=draft.created_at - plans.GIVEN_UP * 2)
    again = plans.ask_for(study, cast.lead)
    draft.refresh_from_db()
    assert (draft.state, again.number) == ("failed", 2)
    cast.work.run()
    draft.refresh_from_db()
    assert draft.state == "failed"


@pytest.mark.parametrize(
    ("error", "words"), [(OldPlan("No luck."), "No luck."), (RuntimeError("x"), "A fault of ours")]
)
def test_a_fault_while_searching_is_told(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def fail(*args: object, **more: object) -> Plan:
        raise error

    monkeypatch.setattr(plans, "make_plan", fail)
    draft = plans.ask_for(draft_study(cast.lead), cast.lead)
    if isinstance(error, FootpathError):
        plans.run(draft.pk)
    else:
        with pytest.raises(RuntimeError):
            plans.run(draft.pk)
    draft.refresh_from_db()
    assert (draft.state, draft.error[: len(words)]) == ("failed", words)


def test_tasks_of_one_name_are_told_apart(cast: Cast) -> None:
    study = draft_study(cast.lead)
    Task.objects.filter(slug="toolshop-easy-0").update(slug="bakery-easy-0")
    names = {task.task for task in designs.design_of(study).design.tasks}
    assert {"bakery/bakery-easy-0", "toolshop/bakery-easy-0", "bakery-easy-1"} <= names


def test_the_database_keeps_one_search_and_whole_results(cast: Cast) -> None:
    study = draft_study(cast.lead)
    with pytest.raises(IntegrityError, match="done_plan_has_result"):
        PlanDraft.objects.create(study=study, number=1, state="done", design={}, design_hash="x")


def test_people_are_in_the_order_of_their_numbers(cast: Cast) -> None:
    study = draft_study(cast.lead)
    Participation.objects.create(study=study, code="P10")
    assert [one.code for one in designs.design_of(study).design.people] == ["D1", "P1", "P2", "P3", "P10"]
    assert part(study, "P1").code == "P1"


def test_the_command_plans_a_study_as_its_page_does(cast: Cast) -> None:
    study = draft_study(cast.lead)
    out = StringIO()
    call_command("plan_study", study="plan-me", json=True, stdout=out)
    assert json.loads(out.getvalue()) == found(cast, study).result
    with pytest.raises(CommandError, match="There is no study 'none'"):
        call_command("plan_study", study="none")
    assert written(study) == set()
