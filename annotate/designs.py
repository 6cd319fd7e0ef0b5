"""A study's design as the planner reads it: what the study keeps, its catalogue's tasks, its people."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Prefetch, QuerySet

from annotate.design.kept import Kept, read_kept
from annotate.design.model import Design, read_design
from annotate.models import Participation, Study, Task, TaskCondition, Variant


@dataclass(frozen=True)
class Read:
    """A design as data, the ids of its tasks by their names in it, and a hash of both that changes with anything that plans."""

    data: dict[str, Any]
    tasks: dict[str, int]
    hash: str

    @cached_property
    def design(self) -> Design:
        """The design, checked; pages that only compare hashes need not wait for it. Raises BadDesign."""
        return read_design(self.data)


READ = ("slug", "difficulty", "primitives", "environment__slug")  # what a plan is made from


def kept_of(study: Study) -> Kept:
    """What the study keeps of its design; of a study without any, what its task-conditions say. Raises BadDesign."""
    if study.design:
        return read_kept(study.design)
    found = counted_conditions(study).values_list("task__environment__slug", "condition").distinct()
    environments = sorted({environment for environment, _ in found})
    conditions = tuple(sorted({condition for _, condition in found})) or ("clean", "intervention")
    return Kept.model_validate({"environments": environments, "conditions": conditions})


def counted_conditions(study: Study) -> QuerySet[TaskCondition]:
    """The study's task-conditions but those that are practice only."""
    practice = TaskCondition.objects.filter(study=study, assignments__role="practice").exclude(
        assignments__role__in=["primary", "duplicate"]
    )
    return TaskCondition.objects.filter(study=study).exclude(pk__in=practice)


def catalogue(kept: Kept) -> list[Task]:
    """The current tasks that the study chooses from, without the practice task, in a fixed order; variants prefetched."""
    tasks = (
        Task.objects.filter(is_current=True, environment__slug__in=kept.environments)
        .select_related("environment")
        .only(*READ)
        .prefetch_related(
            Prefetch("variants", Variant.objects.only("task_id", "slug", "primitive").order_by("slug", "pk"))
        )
        .order_by("environment__slug", "slug", "pk")
    )
    only = set(kept.only)
    return [
        task
        for task in tasks
        if (name := f"{task.environment.slug}/{task.slug}") != kept.practice and (not only or name in only)
    ]


def design_of(study: Study) -> Read:
    """The design of a draft: its catalogue as it is now. Raises BadDesign."""
    kept = kept_of(study)
    tasks = catalogue(kept)
    return read(study, kept, [(task, variant_of(task)) for task in tasks])


def running_design_of(study: Study) -> Read:
    """The design of a study that runs: its panel is what was planned, in the versions it was planned with. Raises BadDesign."""
    kept = kept_of(study)
    conditions = (
        counted_conditions(study).select_related("task__environment", "variant").order_by("task_id", "condition")
    )
    variants: dict[Task, Variant | None] = {}
    for one in conditions:
        variants[one.task] = one.variant or variants.get(one.task)
    ordered = sorted(variants.items(), key=lambda entry: (entry[0].environment.slug, entry[0].slug, entry[0].pk))
    return read(study, kept.model_copy(update={"panel": kept.panel.model_copy(update={"rule": "all"})}), ordered)


def variant_of(task: Task) -> Variant | None:
    """The variant that stands for the task's intervention: the first by its id, where there are several."""
    return next(iter(task.variants.all()), None)


def read(study: Study, kept: Kept, tasks: list[tuple[Task, Variant | None]]) -> Read:
    """The design of these tasks and the study's people who take part."""
    names = names_of([task for task, _ in tasks])
    known = {task.environment.slug for task, _ in tasks}
    data = {
        "seed": study.seed,
        "conditions": list(kept.conditions),
        "passes": list(kept.passes),
        "panel": kept.panel.model_dump(mode="json"),
        "duplicates": kept.duplicates.model_dump(mode="json") if kept.duplicates else None,
        "people": [person_row(one, known) for one in in_code_order(study.participations.filter(is_active=True))],
        "tasks": [task_row(names[task.pk], task, variant) for task, variant in tasks],
    }
    ids = {names[task.pk]: task.pk for task, _ in tasks}
    told = json.dumps([data, sorted(ids.items()), kept.practice], sort_keys=True)
    return Read(data, ids, hashlib.sha256(told.encode()).hexdigest())


def person_row(one: Participation, known: set[str]) -> dict[str, Any]:
    return {
        "code": one.code,
        "tier": one.tier,
        "excludes": sorted(known & set(one.exclusions)),
        "capacity": one.capacity,
    }


def task_row(name: str, task: Task, variant: Variant | None) -> dict[str, Any]:
    """A task as the design has it; its primitive is the variant's, else the task's first."""
    primitive = (variant.primitive if variant else "") or next(iter(task.primitives), None)
    return {
        "task": name,
        "environment": task.environment.slug,
        "difficulty": task.difficulty,
        "variant": variant.slug if variant else None,
        "primitive": primitive,
    }


def names_of(tasks: Iterable[Task]) -> dict[int, str]:
    """A name for each task by its id: its slug, or "environment/slug" where two websites have the same."""
    listed = list(tasks)
    counted = Counter(task.slug for task in listed)
    return {
        task.pk: task.slug if counted[task.slug] == 1 else f"{task.environment.slug}/{task.slug}" for task in listed
    }


def in_code_order(people: Iterable[Participation]) -> list[Participation]:
    """P2 before P10."""
    return sorted(people, key=lambda one: code_key(one.code))


def primary_first(people: Iterable[Participation]) -> list[Participation]:
    """For pages: the primary tier, then the others."""
    return sorted(people, key=lambda one: (one.tier != Participation.Tier.PRIMARY, code_key(one.code)))


def code_key(code: str) -> tuple[str, int, str]:
    """Sorts codes by letters, then by number."""
    found = re.match(r"([A-Za-z]*)(\d{1,9})?", code)
    letters, number = found.groups() if found else ("", None)
    return letters, int(number or 0), code
