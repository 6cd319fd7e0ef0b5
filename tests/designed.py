"""A draft study to plan, freeze and replan: two toy websites with easy and hard tasks, three people and one for duplicates."""

from __future__ import annotations

import pytest
from django.db import transaction

from annotate.actions import apply_plan, plans
from annotate.instrument import HUMAN_140
from annotate.models import (
    Assignment,
    Environment,
    Participation,
    Person,
    PlanDraft,
    Study,
    StudyRole,
    StudyText,
    Task,
    Variant,
)
from tests.cast import Cast, Toy, Worker, make_cast, person


@pytest.fixture
def light_cast(db: None, work: Worker, toy: Toy, monkeypatch: pytest.MonkeyPatch) -> Cast:
    """The cast within one transaction, which is fast: what would run on commit runs at once, and there is no second connection."""
    monkeypatch.setattr(transaction, "on_commit", lambda call: call())
    return make_cast(work, toy)


DESIGN = {
    "environments": ["bakery", "toolshop"],
    "panel": {"rule": "per_cell", "n": 2, "by": ["environment", "difficulty"]},
    "duplicates": {"rule": "per_cell", "n": 1, "by": ["environment", "difficulty"]},
    "practice": "bakery/warm-up",
}


def catalogue() -> None:
    """Three tasks in each of four cells, each with a variant, and one to practise on."""
    for name in ("bakery", "toolshop"):
        environment = Environment.objects.create(slug=name, name=name.title(), adapter="toy")
        for level in ("easy", "hard"):
            for number in range(3):
                slug = f"{name}-{level}-{number}"
                task = make_task(environment, slug, level)
                Variant.objects.create(task=task, slug=f"{slug}--v", primitive="patience")
    make_task(Environment.objects.get(slug="bakery"), "warm-up", "easy")


def make_task(environment: Environment, slug: str, level: str) -> Task:
    return Task.objects.create(
        environment=environment, slug=slug, title=slug.title(), instruction="Do it.", difficulty=level, expected_steps=6
    )


def draft_study(lead: Person, slug: str = "plan-me") -> Study:
    """A draft with its people, texts and catalogue; nothing is planned yet."""
    catalogue()
    study = Study.objects.create(slug=slug, name="Plan me", design=DESIGN, instrument=HUMAN_140)
    StudyRole.objects.create(study=study, person=lead, role="owner")
    consent = StudyText.objects.create(study=study, kind="consent", version=1, body="We **record**.")
    StudyText.objects.create(study=study, kind="guidelines", version=1, body="Be kind.")
    for code in ("P1", "P2", "P3", "D1"):
        Participation.objects.create(
            study=study,
            person=person(f"{code.lower()}.{slug}"),
            code=code,
            tier="duplicate" if code.startswith("D") else "primary",
            consent=consent,
            guidelines_read_at=study.created_at,
        )
    return study


def found(cast: Cast, study: Study) -> PlanDraft:
    """A plan or replan, asked for by the lead and found by the worker."""
    draft = plans.ask_for(study, cast.lead)
    cast.work.run()
    draft.refresh_from_db()
    return draft


def planned(cast: Cast) -> Study:
    """The draft with its plan applied."""
    study = draft_study(cast.lead)
    apply_plan.apply_plan(found(cast, study), cast.lead)
    study.refresh_from_db()
    return study


def running(cast: Cast) -> Study:
    """The study frozen, practice done."""
    study = planned(cast)
    Study.objects.filter(pk=study.pk).update(state="frozen")
    Assignment.objects.filter(participation__study=study, role="practice").update(state="complete")
    study.refresh_from_db()
    return study


def part(study: Study, code: str) -> Participation:
    return study.participations.select_related("person").get(code=code)


def next_of(study: Study, code: str, place: int = 0) -> Assignment:
    """The `place`th open assignment of a code."""
    mine = Assignment.objects.filter(participation__study=study, participation__code=code, state="not_started")
    return mine.exclude(role="practice").order_by("position")[place]
