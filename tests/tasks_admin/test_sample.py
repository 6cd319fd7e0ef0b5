"""The sample study: a plan that keeps the design's rules, the same at every load."""

from __future__ import annotations

from collections import Counter

import pytest

from annotate import designs
from annotate.models import Assignment, Person, Study, TaskCondition
from tasks_admin import sample

pytestmark = pytest.mark.django_db


def assignments(code: str) -> list[Assignment]:
    mine = Assignment.objects.filter(participation__code=code).exclude(role="practice")
    return list(mine.select_related("task_condition__task__environment").order_by("position"))


def test_nobody_meets_a_task_twice_and_every_task_condition_has_one_person() -> None:
    sample.load()
    for code in ("P1", "P2"):
        tasks = [assignment.task_condition.task_id for assignment in assignments(code)]
        assert len(tasks) == len(set(tasks))
    given = Counter(one.task_condition_id for code in ("P1", "P2") for one in assignments(code))
    assert set(given.values()) == {1}
    counted = TaskCondition.objects.exclude(assignments__role="practice").values_list("pk", flat=True)
    assert set(given) == set(counted)


def test_loads_and_conditions_are_even_and_blocks_are_whole() -> None:
    sample.load()
    loads = [assignments(code) for code in ("P1", "P2")]
    assert abs(len(loads[0]) - len(loads[1])) <= 1
    for load in loads:
        conditions = Counter(
            one.task_condition.condition for one in load if one.task_condition.task.environment.slug == "shop"
        )
        assert abs(conditions["clean"] - conditions["intervention"]) <= 1
        blocks = [one.task_condition.task.environment.slug for one in load]
        assert blocks == sorted(blocks, reverse=True)


def test_it_holds_ten_shop_tasks_in_both_conditions_and_five_of_miniwob() -> None:
    sample.load()
    study = Study.objects.get()
    counted = study.task_conditions.exclude(assignments__role="practice")
    per = Counter(counted.values_list("task__environment__slug", "condition"))
    assert per == {("shop", "clean"): 11, ("shop", "intervention"): 11, ("miniwob", "clean"): 5}
    assert set(study.task_conditions.values_list("task__difficulty", flat=True)) == {
        "easy",
        "medium",
        "hard",
        "expert",
        "frontier",
    }


def test_loading_again_changes_nothing() -> None:
    people = [person.pk for person in sample.load()]
    before = list(Assignment.objects.order_by("pk").values_list("pk", "position", "participation__code"))
    assert [person.pk for person in sample.load()] == people
    assert list(Assignment.objects.order_by("pk").values_list("pk", "position", "participation__code")) == before


def test_its_design_is_the_one_that_was_planned() -> None:
    sample.load()
    study = Study.objects.get(slug="sample")
    read = designs.running_design_of(study)
    assert read.tasks == designs.design_of(study).tasks
    assert len(read.tasks) == 16
    assert designs.kept_of(study).practice.startswith("shop/")


def test_its_people_have_no_password_and_are_marked() -> None:
    sample.load()
    for person in Person.objects.all():
        assert person.is_sample
        assert not person.has_usable_password()
