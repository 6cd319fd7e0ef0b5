"""The sample study: the bundled shop under both conditions and five MiniWoB++ pages, two annotators and a lead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.urls import reverse

from annotate.actions.people import sample_token
from annotate.design.kept import Kept
from annotate.instrument import HUMAN_140
from annotate.models import (
    Assignment,
    Environment,
    Participation,
    Person,
    Study,
    StudyRole,
    StudyText,
    Task,
    TaskCondition,
)
from annotate.models.catalogue import Difficulty
from tasks_admin.benchmark.engine.catalogue import Task as BenchmarkTask
from tasks_admin.benchmark.engine.catalogue import described
from tasks_admin.benchmark.miniwob.tasks import SAMPLE
from tasks_admin.benchmark.sites import SITES
from tasks_admin.catalogues.shape import TaskIn
from tasks_admin.catalogues.take_in import take_in

SLUG = "sample"
NAMES = {"shop": "Sample shop", "miniwob": "MiniWoB++"}
ADAPTERS = {"shop": "sample", "miniwob": "miniwob"}

CONSENT = """# Taking part in the sample study

This study looks at how people do small tasks on websites, so that computer programs can be compared with them.

**What is recorded.** While you work in the website's tab: what you click, type, scroll and open there, with times. Passwords,
one-time codes and card numbers never leave the page. Nothing outside that tab is recorded, no camera, no microphone.

**What becomes of it.** Recordings are kept under a code, not under your name. Comments stay inside the group until a lead has
cleared them for release.

**Your choice.** Taking part is voluntary. You may stop at any time, abandon any task, and give no reason beyond a word or two.
"""
GUIDELINES = """# Guidelines

1. Press **Start**. The website opens in a new tab after a short countdown; the instruction stays in the first tab.
2. Do what the instruction asks, as you would for yourself. Websites misbehave at times, some of them on purpose: cope with it
   as you would at home.
3. Back in the first tab, press **Evaluate**. You see whether it passed.
4. Do it once more, at once, as directly as you can (**Start warm**).
5. Say how it was, if you like.

Please do one task at a time and stay in the two tabs until both goes are evaluated. If you close one of them for longer than
a minute and a half, the round is rolled back: it does not count, and you can simply start again. A reload, or a network that
goes away for a while, does no harm.

In the MiniWoB++ pages the task stands in the yellow box at the top of the page.
"""


@dataclass(frozen=True)
class Plan:
    """Who does what: (task, condition, code) in the order of work."""

    task: Task
    condition: str
    code: str


@transaction.atomic
def load() -> list[Person]:
    """Create the sample study, or bring its catalogue up to date; returns lead and annotators, lead first."""
    tasks = {name: _take_in(name, site.tasks) for name, site in SITES.items()}
    study, made = Study.objects.get_or_create(
        slug=SLUG, defaults={"name": "Sample study", "is_sample": True, "instrument": HUMAN_140}
    )
    if made:
        _fill(study, tasks)
    return list(Person.objects.filter(is_sample=True).order_by("pk"))


def sign_in_path(person: Person) -> str:
    """The path of a sample person's sign-in link."""
    return reverse("sample", args=[sample_token(person)])


def _take_in(name: str, tasks: Sequence[BenchmarkTask]) -> list[Task]:
    """The site's tasks as they are now, in the site's order; of MiniWoB++ those of the sample."""
    environment = _environment(name)
    take_in(environment, [TaskIn.model_validate(described(task)) for task in tasks])
    chosen = [task.id for task in tasks if name != "miniwob" or task.id in SAMPLE]
    current = {task.slug: task for task in environment.tasks.filter(is_current=True)}
    return [current[slug] for slug in chosen]


def _environment(name: str) -> Environment:
    environment, _ = Environment.objects.get_or_create(
        slug=name, defaults={"name": NAMES.get(name, name.title()), "adapter": ADAPTERS.get(name, "sample")}
    )
    return environment


def _fill(study: Study, tasks: dict[str, list[Task]]) -> None:
    StudyText.objects.create(study=study, kind="consent", version=1, body=CONSENT)
    StudyText.objects.create(study=study, kind="guidelines", version=1, body=GUIDELINES)
    lead = Person.objects.create_person("lead@sample.invalid", "Sample lead", is_sample=True)
    StudyRole.objects.create(study=study, person=lead, role="owner")
    people = {code: _annotator(study, code) for code in ("P1", "P2")}
    practice, *shop = tasks["shop"]
    for participation in people.values():
        _assign(study, participation, Plan(practice, "clean", participation.code), role="practice")
    for plan in plans(shop, tasks["miniwob"]):
        _assign(study, people[plan.code], plan)
    Study.objects.filter(pk=study.pk).update(state="frozen", design=design_of(practice, [*shop, *tasks["miniwob"]]))


def design_of(practice: Task, chosen: list[Task]) -> dict[str, Any]:
    """What the editor shows of the design; the plan is our own, so that a newcomer meets easy tasks first."""
    kept = Kept(
        environments=tuple(sorted({task.environment.slug for task in chosen})),
        only=tuple(f"{task.environment.slug}/{task.slug}" for task in chosen),
        practice=f"{practice.environment.slug}/{practice.slug}",
    )
    return kept.model_dump(mode="json")


def _annotator(study: Study, code: str) -> Participation:
    person = Person.objects.create_person(f"{code.lower()}@sample.invalid", f"Sample annotator {code}", is_sample=True)
    return Participation.objects.create(study=study, person=person, code=code)


def plans(shop: list[Task], miniwob: list[Task]) -> list[Plan]:
    """Clean and intervention of a task to different people, in turns; each environment is one block, easy tasks first."""
    codes = ("P1", "P2")
    found = []
    for turn, task in enumerate(sorted(shop, key=_by_difficulty)):
        found += [Plan(task, "clean", codes[turn % 2]), Plan(task, "intervention", codes[(turn + 1) % 2])]
    found += [Plan(task, "clean", codes[turn % 2]) for turn, task in enumerate(sorted(miniwob, key=_by_difficulty))]
    return found


def _by_difficulty(task: Task) -> int:
    return Difficulty.values.index(task.difficulty)


def _assign(study: Study, participation: Participation, plan: Plan, role: str = "primary") -> None:
    variant = plan.task.variants.first() if plan.condition == "intervention" else None
    condition, _ = TaskCondition.objects.get_or_create(
        study=study, task=plan.task, condition=plan.condition, defaults={"variant": variant}
    )
    position = participation.assignments.count()
    Assignment.objects.create(task_condition=condition, participation=participation, role=role, position=position)
