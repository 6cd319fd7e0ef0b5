"""Taking a ready-made plan into a study: people by code, task-conditions, assignments. As a whole or not at all."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction
from django.db.models import Max

from annotate.designs import kept_of
from annotate.models import Assignment, Participation, Study, Task, TaskCondition, Variant
from annotate.models.studies import default_options
from recorder.errors import FootpathError
from recorder.yaml_file import Document, Where, read
from tasks_admin.catalogues.plan_checks import deviations
from tasks_admin.catalogues.plan_shape import Plan, Row, read_plan
from tasks_admin.catalogues.shape import Part, Problems
from tasks_admin.operate.people import Invited, bring_in

CODES = {"primary": "P", "duplicate": "D"}


class Told(Part):
    """What is told of a person of the plan: an address to invite, and a code other than the next one."""

    email: str = ""
    code: str = ""
    name: str = ""


@dataclass
class Imported:
    """What a plan brought: codes by the plan's names, invitations, counts, and what is odd about it."""

    study: str
    made: bool
    codes: dict[str, str] = field(default_factory=dict)
    invited: list[Invited] = field(default_factory=list)
    new: int = 0
    same: int = 0
    others: list[str] = field(default_factory=list)  # assignments of the study that the plan does not have
    titles: list[str] = field(default_factory=list)
    deviations: list[str] = field(default_factory=list)


class CannotPlan(FootpathError):
    """The study does not take a plan."""

    def __init__(self, message: str) -> None:
        super().__init__("cannot_plan", 409, message)


def read_people(path: Path | None, plan: Plan, problems: Problems) -> dict[str, Told]:
    """What a file says of the plan's people, by their names in it; nothing where there is no file."""
    if path is None:
        return {}
    document = read(path, path.name)
    data = document.data if isinstance(document.data, dict) else {}
    if not data:
        problems.add(document, (), "must be a mapping of the plan's names to {email, code}")
    found: dict[str, Told] = {}
    for name, told in data.items():
        if name not in plan.annotators:
            problems.add(document, (name,), "nobody in the plan has this name")
            continue
        one = problems.model(Told, {"email": told} if isinstance(told, str) else told, document, (name,))
        if one is not None:
            found[name] = one
    refuse_double_people(document, found, problems)
    return found


def refuse_double_people(document: Document, found: dict[str, Told], problems: Problems) -> None:
    for what in ("email", "code"):
        counted = Counter(getattr(told, what).lower() for told in found.values() if getattr(told, what))
        for name, told in found.items():
            if counted[getattr(told, what).lower()] > 1:
                problems.add(document, (name, what), f"two people have {getattr(told, what)!r}")


def codes_of(plan: Plan, people: dict[str, Told]) -> dict[str, str]:
    """A code for everybody: the one that was told, else the next free P or D number in the plan's order."""
    codes = {name: told.code for name, told in people.items() if told.code}
    for name, annotator in plan.annotators.items():
        letter, number = CODES[annotator.tier], 1
        while name not in codes:
            if f"{letter}{number}" not in codes.values():
                codes[name] = f"{letter}{number}"
            number += 1
    return {name: codes[name] for name in plan.annotators}


@dataclass(frozen=True)
class Resolved:
    """A row with what it means in the catalogue."""

    row: Row
    task: Task
    variant: Variant | None


class Catalogue:
    """The current tasks that a plan may speak of, and all variants by id."""

    def __init__(self, rows: list[Row]) -> None:
        slugs = {row.base for row in rows}
        tasks = Task.objects.filter(is_current=True, slug__in=slugs).select_related("environment")
        self.tasks = {(task.environment.slug, task.slug): task for task in tasks}
        named = {row.variant.id for row in rows if row.variant}
        variants = Variant.objects.filter(slug__in=named, task__is_current=True).select_related("task")
        self.variants = {(variant.task_id, variant.slug): variant for variant in variants}
        self.owners = {variant.slug: variant.task.slug for variant in variants}
        self.environments = {environment for environment, _ in self.tasks}


def resolve(plan: Plan, catalogue: Catalogue, problems: Problems) -> list[Resolved]:
    """Every row's task and variant; what is not in the catalogue is noted."""
    out = []
    for row, where in plan.rows:
        task = catalogue.tasks.get((row.env, row.base))
        if task is None:
            known = row.env in catalogue.environments
            what = (
                f"the catalogue has no task {row.base!r} in {row.env}"
                if known
                else f"no environment {row.env!r} has it"
            )
            problems.add(plan.document, (*where, "base" if known else "env"), what)
            continue
        variant = find_variant(plan.document, row, where, task, catalogue, problems) if row.variant else None
        out.append(Resolved(row, task, variant))
    return out


def find_variant(
    document: Document, row: Row, where: Where, task: Task, catalogue: Catalogue, problems: Problems
) -> Variant | None:
    assert row.variant is not None
    variant = catalogue.variants.get((task.pk, row.variant.id))
    if variant is None:
        owner = catalogue.owners.get(row.variant.id)
        what = f"it is a variant of {owner}, not of {task.slug}" if owner else f"there is no variant {row.variant.id!r}"
        problems.add(document, (*where, "variant", "id"), what)
    elif (file := variant.params.get("file")) and file != row.variant.file:
        problems.add(document, (*where, "variant", "yaml"), f"the variant's file is {file}, not {row.variant.file}")
    return variant


def import_plan(
    path: Path, slug: str, people: Path | None = None, *, freeze: bool = False, dry_run: bool = False
) -> Imported:
    """Import a plan into a study, which is made (as a draft) where it is not there. Raises Refused, CannotPlan, BadFile."""
    problems = Problems()
    plan = read_plan(path, problems)
    told = read_people(people, plan, problems)
    rows = [row for row, _ in plan.rows]
    resolved = resolve(plan, Catalogue(rows), problems)
    refuse_double_assignments(plan, problems)
    problems.settle()
    with transaction.atomic():
        study, made = study_for(slug, plan.seed)
        out = Imported(slug, made, codes_of(plan, told))
        take_people(study, plan, told, out)
        take_rows(study, resolved, out)
        keep_design(study, resolved)
        out.titles = titles(resolved)
        out.deviations = deviations(rows, plan.annotators)
        if freeze:
            Study.objects.filter(pk=study.pk).update(state=Study.State.FROZEN)
        transaction.set_rollback(dry_run)
    return out


def refuse_double_assignments(plan: Plan, problems: Problems) -> None:
    """Note a task-condition that two people have first, or that one person has twice."""
    firsts: dict[tuple[str, ...], str] = {}
    for row, where in plan.rows:
        key = (row.env, row.base, row.cond)
        if row.role == "primary" and (before := firsts.setdefault(("first", *key), row.aid)) != row.aid:
            problems.add(plan.document, (*where, "aid"), f"{before} has this task-condition first already")
        if (before := firsts.setdefault((row.annotator, *key), row.aid)) != row.aid:
            problems.add(
                plan.document, (*where, "annotator"), f"{row.annotator} has this task-condition already, {before}"
            )


def study_for(slug: str, seed: int | None) -> tuple[Study, bool]:
    """The study, with the plan's seed; a draft is made where there is none. Raises CannotPlan where it is running."""
    fields = {"name": slug, "options": default_options(), **({} if seed is None else {"seed": seed})}
    study, made = Study.objects.select_for_update().get_or_create(slug=slug, defaults=fields)
    if study.state != Study.State.DRAFT:
        raise CannotPlan(f"The study {slug} is {study.state}; only a draft takes a plan.")
    if seed is not None and study.seed != seed:
        Study.objects.filter(pk=study.pk).update(seed=seed)
    return study, made


def take_people(study: Study, plan: Plan, told: dict[str, Told], out: Imported) -> None:
    """A participation for everybody, known by code; whoever has an address is invited."""
    for name, code in out.codes.items():
        annotator = plan.annotators[name]
        Participation.objects.update_or_create(
            study=study,
            code=code,
            defaults={
                "tier": annotator.tier,
                "exclusions": annotator.designer_exclusions,
                "capacity": annotator.num_task_conditions,
            },
        )
        person = told.get(name)
        if person is not None and person.email:
            out.invited.append(bring_in(person.email, study.slug, code=code, name=person.name))


def take_rows(study: Study, resolved: list[Resolved], out: Imported) -> None:
    """Task-conditions and assignments, in the plan's order after what each person has already."""
    people = {one.code: one for one in study.participations.all()}
    places = {
        one.pk: top or 0 for one in people.values() for top in [one.assignments.aggregate(top=Max("position"))["top"]]
    }
    conditions = {(one.task_id, one.condition): one for one in study.task_conditions.all()}
    standing = {
        (one.participation_id, one.task_condition_id): one
        for one in Assignment.objects.filter(participation__study=study).exclude(role="practice")
    }
    left = dict(standing)
    fresh = []
    for one in resolved:
        condition = condition_for(study, one, conditions)
        person = people[out.codes[one.row.annotator]]
        if (person.pk, condition.pk) in standing:
            left.pop((person.pk, condition.pk), None)
            out.same += 1
            continue
        places[person.pk] += 1
        fresh.append(
            Assignment(task_condition=condition, participation=person, role=one.row.role, position=places[person.pk])
        )
    Assignment.objects.bulk_create(fresh, batch_size=500)
    out.new = len(fresh)
    codes = {one.pk: one.code for one in people.values()}
    out.others = [f"{codes[one.participation_id]}, place {one.position}" for one in left.values()]


def keep_design(study: Study, resolved: list[Resolved]) -> None:
    """What the plan says of the study's design, so that the editor shows it and the planner can go on from it. Rules that the
    study has already stay: a plan tells what is done, not how it was chosen."""
    tasks = {f"{one.row.env}/{one.row.base}": one.row.env for one in resolved}
    told = {
        "environments": sorted(set(tasks.values())),
        "only": sorted(tasks),
        "conditions": sorted({one.row.cond for one in resolved}),
    }
    Study.objects.filter(pk=study.pk).update(design=kept_of(study).model_dump(mode="json") | told)


def condition_for(study: Study, one: Resolved, conditions: dict[tuple[int, str], TaskCondition]) -> TaskCondition:
    key = (one.task.pk, one.row.cond)
    if key not in conditions:
        conditions[key] = TaskCondition.objects.create(
            study=study, task=one.task, condition=one.row.cond, variant=one.variant
        )
    elif conditions[key].variant_id != (one.variant.pk if one.variant else None):
        raise CannotPlan(f"{one.row.aid}: the study has {one.task.slug} with another variant already.")
    return conditions[key]


def titles(resolved: list[Resolved]) -> list[str]:
    """Rows whose title, difficulty or expected steps are not the catalogue's; each task once."""
    out: dict[str, None] = {}
    for one in resolved:
        if one.row.title != one.task.title:
            out[f"{one.task.slug}: the plan says {one.row.title!r}, the catalogue {one.task.title!r}"] = None
        if one.row.diff != one.task.difficulty:
            out[f"{one.task.slug}: the plan says {one.row.diff}, the catalogue {one.task.difficulty}"] = None
    return list(out)
