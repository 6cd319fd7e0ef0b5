"""Taking a catalogue into the database, as a whole or not at all. Idempotent by content hash.

What was recorded is never changed: a task with rounds keeps its version, and what the catalogue says now is the next one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from annotate.models import Environment, Round, Task, TaskCondition, Variant
from recorder.environments.options import BadOptions, dotted
from recorder.environments.registry import UnknownAdapter, get_adapter
from recorder.yaml_file import BadFile, Where
from tasks_admin.catalogues.shape import EnvironmentIn, Found, Problems, Refused, TaskIn, refuse_doubles

BATCH = 500


@dataclass
class Difference:
    """What an import did to one environment, by task ids. `kept`: changed, but recorded before, so kept as it was besides.

    `settings`: names of what changed of the environment itself (its name, one of its options).
    """

    environment: str
    made: bool = False
    settings: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    same: int = 0


def import_catalogue(found: list[Found], problems: Problems, *, dry_run: bool = False) -> list[Difference]:
    """Import everything that was found, and say what that changed. Raises Refused; then nothing was imported."""
    refuse_doubles(found, problems)
    refuse_empty(found, problems)
    with transaction.atomic():
        environments = [(prepared(one, problems), one) for one in found]
        problems.settle()
        out = [difference_of(environment, one) for environment, one in environments if environment is not None]
        transaction.set_rollback(dry_run)
    return out


def refuse_empty(found: list[Found], problems: Problems) -> None:
    """Note environments without a task: a catalogue that was cut off would retire everything."""
    for one in found:
        if not one.tasks and not problems.found:
            note(one, problems, (), f"the catalogue has no task for the environment {one.environment.slug}")


def difference_of(made: tuple[Environment, bool, list[str]], found: Found) -> Difference:
    environment, is_new, settings = made
    difference = take_in(environment, found.tasks)
    difference.made, difference.settings = is_new, settings
    return difference


def prepared(found: Found, problems: Problems) -> tuple[Environment, bool, list[str]] | None:
    """The environment's row, made or brought up to date, whether it was made, and which settings changed; None with the
    problem noted. An environment that another adapter reaches is another one: its tasks and recordings are not mixed up.
    """
    told = found.environment
    there = Environment.objects.select_for_update().filter(slug=told.slug).first()
    if not told.adapter:
        if there is None:
            note(found, problems, (), f"there is no environment {told.slug} yet; say how it is reached")
            return None
        return there, False, []
    if there is not None and there.adapter != told.adapter:
        what = f"the environment {told.slug} is there already and reached by the adapter {there.adapter}; choose another slug"
        note(found, problems, ("adapter",), what)
        return None
    if not is_configured(found, problems):
        return None
    settings = [] if there is None else changed_settings(there, told)
    fields = {"name": told.name or told.slug, "adapter": told.adapter, "options": told.options}
    environment, made = Environment.objects.update_or_create(slug=told.slug, defaults=fields)
    return environment, made, settings


def changed_settings(there: Environment, told: EnvironmentIn) -> list[str]:
    """Names of the settings that the catalogue says otherwise than the environment has them."""
    names = sorted(there.options.keys() | told.options.keys())
    changed = [name for name in names if there.options.get(name) != told.options.get(name)]
    return changed + (["name"] if there.name != (told.name or told.slug) else [])


def is_configured(found: Found, problems: Problems) -> bool:
    """True where its adapter takes the environment's options; else what is wrong is noted."""
    try:
        get_adapter(found.environment.adapter, found.environment.options)
    except BadOptions as error:
        for where, what in error.problems:
            note(found, problems, ("options", *where), what)
        return False
    except UnknownAdapter as error:
        note(found, problems, ("adapter",), error.message)
        return False
    return True


def note(found: Found, problems: Problems, where: Where, what: str) -> None:
    """Note a problem of an environment, at its place in the file if it stands in one."""
    if found.place is None:
        problems.found.append(BadFile(f"environment {found.environment.slug}", 0, what, dotted(where)))
    else:
        document, own = found.place
        problems.add(document, (*own, *where), what)


@transaction.atomic
def take_in(environment: Environment, tasks: Iterable[TaskIn]) -> Difference:
    """Make the environment's current tasks those given; what is not among them is no longer current."""
    difference = Difference(environment.slug)
    wanted = {task.task: task for task in tasks}
    standing = {task.slug: task for task in Task.objects.filter(environment=environment, is_current=True)}
    hashes = {slug: task.content_hash() for slug, task in wanted.items()}
    recorded = in_use(environment, wanted)
    fresh: list[TaskIn] = []
    for slug, task in wanted.items():
        old = standing.get(slug)
        if old is None:
            difference.new.append(slug)
            fresh.append(task)
        elif old.content_hash == hashes[slug]:
            difference.same += 1
        elif slug in recorded:
            difference.changed.append(slug)
            difference.kept.append(slug)
            fresh.append(task)
        else:
            difference.changed.append(slug)
            change(old, task, hashes[slug])
    difference.gone = sorted(standing.keys() - wanted.keys())
    retire(environment, [*difference.kept, *difference.gone])
    create(environment, fresh, hashes)
    return difference


def in_use(environment: Environment, wanted: dict[str, TaskIn]) -> set[str]:
    """Current tasks that can't be changed in place: they have rounds, or a study needs a variant that they would lose."""
    rounds = Round.objects.filter(assignment__task_condition__task=OuterRef("pk"))
    current = Task.objects.filter(environment=environment, is_current=True)
    begun = set(current.filter(Exists(rounds)).values_list("slug", flat=True))
    needed = TaskCondition.objects.filter(task__in=current, variant__isnull=False)
    lost = {
        slug
        for slug, variant in needed.values_list("task__slug", "variant__slug")
        if slug in wanted and variant not in {one.variant for one in wanted[slug].variants}
    }
    return begun | lost


def retire(environment: Environment, slugs: list[str]) -> None:
    """These are no longer current; their rows stay."""
    Task.objects.filter(environment=environment, is_current=True, slug__in=slugs).update(is_current=False)


def create(environment: Environment, tasks: list[TaskIn], hashes: dict[str, str]) -> None:
    """New rows for these tasks, each as the version after its last one."""
    earlier: dict[str, int] = {}
    versions = Task.objects.filter(environment=environment, slug__in=[task.task for task in tasks])
    for slug, version in versions.values_list("slug", "version"):
        earlier[slug] = max(version, earlier.get(slug, 0))
    rows = [
        Task(
            environment=environment,
            slug=task.task,
            content_hash=hashes[task.task],
            version=earlier.get(task.task, 0) + 1,
            **fields_of(task),
        )
        for task in tasks
    ]
    made = Task.objects.bulk_create(rows, batch_size=BATCH)
    variants = [
        Variant(task=row, slug=variant.variant, **variant.model_dump(exclude={"variant"}))
        for row, task in zip(made, tasks, strict=True)
        for variant in task.variants
    ]
    Variant.objects.bulk_create(variants, batch_size=BATCH)


def change(old: Task, task: TaskIn, content_hash: str) -> None:
    """Bring a task that nobody has begun up to date."""
    Task.objects.filter(pk=old.pk).update(content_hash=content_hash, **fields_of(task))
    wanted = [variant.variant for variant in task.variants]
    Variant.objects.filter(Q(task=old) & ~Q(slug__in=wanted)).delete()
    for variant in task.variants:
        fields = variant.model_dump(exclude={"variant"})
        Variant.objects.update_or_create(task=old, slug=variant.variant, defaults=fields)


def fields_of(task: TaskIn) -> dict[str, object]:
    """The columns of a task."""
    return task.model_dump(exclude={"task", "variants"})


__all__ = ["Difference", "Refused", "import_catalogue", "take_in"]
