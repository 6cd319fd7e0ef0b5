"""A named cast: a small study with a lead, two annotators, a lead and an annotator of another study, and a toy website."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.utils.module_loading import import_string

from annotate import jobs, tasks
from annotate.instrument import HUMAN_140
from annotate.models import (
    Assignment,
    Environment,
    Participation,
    Person,
    Round,
    Study,
    StudyRole,
    StudyText,
    Task,
    TaskCondition,
    Variant,
)
from recorder import recordings
from recorder.environments import registry
from recorder.environments.base import Check, EnvironmentDown, Health, Session, SessionForgotten, TaskRef, Verdict


@dataclass
class Toy:
    """An environment in memory: `down` makes it fail, `forgets` makes it lose its sessions, `score` is what it says."""

    name: str = "toy"
    repeatable: bool = True
    down: bool = False
    forgets: bool = False
    score: float = 1.0
    calls: list[str] = field(default_factory=list)

    def probe(self) -> Health:
        return Health(not self.down, 1.0)

    def prepare(self, ref: TaskRef) -> Session:
        return self._session("prepare", ref.task)

    def reset(self, session_id: str, ref: TaskRef) -> Session:
        return self._session("reset", session_id)

    def _session(self, call: str, what: str) -> Session:
        self._called(call)
        number = len(self.calls)
        return Session(
            f"{what}-{number}", "http://127.0.0.1:9", f"/?session={number}", "Toy", "Do it.", ("/control/*",)
        )

    def _called(self, call: str) -> None:
        if self.down:
            raise EnvironmentDown("The toy is down.")
        self.calls.append(call)

    def evaluate(self, session_id: str) -> Verdict:
        self._called("evaluate")
        if self.forgets:
            raise SessionForgotten(session_id)
        checks = (Check("the order exists", self.score == 1.0, "obligation", "one order"),)
        return Verdict(self.score, self.score == 1.0, "server", checks)

    def backend_record(self, session_id: str) -> list[dict[str, Any]]:
        return [{"path": "/"}]

    def instruction(self, session_id: str) -> str | None:
        return None

    def close(self, session_id: str) -> None:
        self.calls.append("close")


@dataclass
class Cast:
    """Who there is, and short ways to what they have."""

    study: Study
    lead: Person
    ann: Person
    bob: Person
    other_lead: Person
    stranger: Person
    toy: Toy
    work: Worker

    def assignment(self, person: Person) -> Assignment:
        """The person's first assignment, fresh from the database."""
        found = Assignment.objects.filter(participation__person=person).order_by("position").first()
        assert found is not None
        return found

    def fresh(self, round_: Round) -> Round:
        """The round as the database has it now."""
        return Round.objects.select_related("participation__study", "assignment__task_condition").get(pk=round_.pk)


@dataclass
class Worker:
    """Takes the place of Celery: `run` does what is queued, as the worker would; replays only where a test wants them."""

    queue: list[tuple[Any, ...]] = field(default_factory=list)
    replays: bool = False

    def send(self, name: str, pk: int, *more: str) -> None:
        self.queue.append((name, pk, *more))

    def run(self) -> None:
        while self.queue:
            name, *arguments = self.queue.pop(0)
            if name == "replay_attempt" and not self.replays:
                continue
            task: Callable[..., None] = import_string(name) if "." in name else getattr(tasks, name)
            task(*arguments)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Worker:
    worker = Worker()
    monkeypatch.setattr(jobs, "send", worker.send)
    return worker


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Toy:
    adapter = Toy()
    monkeypatch.setitem(registry.BUNDLED, "toy", lambda options: adapter)
    return adapter


@pytest.fixture
def cast(transactional_db: None, work: Worker, toy: Toy, monkeypatch: pytest.MonkeyPatch) -> Cast:
    """The cast on a real database without an outer transaction, so that what runs on commit runs.

    Its pages are lines that a test sends: none is ever about to load, and none that is silent is about to speak.
    """
    monkeypatch.setattr(recordings, "FIRST_WORD_S", 0.0)
    monkeypatch.setattr(recordings, "GIVE_UP_S", 0.0)
    return make_cast(work, toy)


def person(name: str) -> Person:
    return Person.objects.create_person(f"{name}@example.org", name.title() + " Example")


def make_cast(work: Worker, toy: Toy) -> Cast:
    lead, ann, bob = person("lena.lead"), person("ann.annotator"), person("bob.annotator")
    study = make_study("tea", lead)
    other_lead, stranger = person("otto.lead"), person("sam.stranger")
    other = make_study("coffee", other_lead)
    add_people(study, {"P1": ann, "P2": bob})
    add_people(other, {"P1": stranger})
    return Cast(study, lead, ann, bob, other_lead, stranger, toy, work)


def make_study(slug: str, lead: Person) -> Study:
    study = Study.objects.create(slug=slug, name=slug.title(), instrument=HUMAN_140, state="frozen")
    StudyText.objects.create(study=study, kind="consent", version=1, body="We **record**.")
    StudyText.objects.create(study=study, kind="guidelines", version=1, body="Be kind.")
    StudyRole.objects.create(study=study, person=lead, role="owner")
    return study


def add_people(study: Study, people: dict[str, Person]) -> None:
    environment, _ = Environment.objects.get_or_create(slug="toyshop", defaults={"name": "Toy shop", "adapter": "toy"})
    task, _ = Task.objects.get_or_create(
        environment=environment,
        slug="buy-tea",
        defaults={
            "title": "Buy tea",
            "instruction": "Buy green tea.",
            "difficulty": "easy",
            "primitives": ["planning"],
        },
    )
    variant, _ = Variant.objects.get_or_create(
        task=task, slug="buy-tea-decoy", defaults={"primitive": "grounding", "layer": "seed"}
    )
    conditions = [
        TaskCondition.objects.create(study=study, task=task, condition="clean"),
        TaskCondition.objects.create(study=study, task=task, condition="intervention", variant=variant),
    ]
    consent = study.texts.get(kind="consent")
    for (code, who), condition in zip(people.items(), conditions, strict=False):
        participation = Participation.objects.create(
            study=study, person=who, code=code, consent=consent, guidelines_read_at=study.created_at
        )
        Assignment.objects.create(participation=participation, task_condition=condition, position=1)
