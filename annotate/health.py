"""Whether environments can be used: looked at by the worker all the time, and once more before a round."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.utils import timezone

from annotate.errors import NotYet
from annotate.models import Environment, Probe, Study, TaskCondition
from recorder.environments.base import Health
from recorder.environments.options import BadOptions
from recorder.environments.registry import UnknownAdapter, get_adapter

FRESH = timedelta(seconds=20)
KEPT = 500  # probes per environment
SHOWN = 40


@dataclass(frozen=True)
class State:
    """An environment as its last probes saw it: `ok` None where nobody has looked yet; `ms` the median of the last ones."""

    environment: Environment
    ok: bool | None
    checked_at: datetime | None
    since: datetime | None
    ms: float | None
    detail: str
    error: Probe | None
    probes: list[Probe]


def in_use() -> QuerySet[Environment]:
    """The environments of running studies."""
    return Environment.objects.filter(tasks__conditions__study__state=Study.State.FROZEN).distinct().order_by("slug")


def of_study(study: Study) -> list[State]:
    """The environments of a study, each as it stands."""
    return [state(environment) for environment in used_by(study).order_by("name")]


def used_by(study: Study) -> QuerySet[Environment]:
    """The environments of a study; looks for one task-condition of each, however many there are."""
    return Environment.objects.filter(
        Exists(TaskCondition.objects.filter(study=study, task__environment=OuterRef("pk")))
    )


def down_in(study: Study) -> list[State]:
    """The environments of a study that the last look saw down."""
    last = Probe.objects.filter(environment=OuterRef("pk")).order_by("-pk").values("ok")[:1]
    down = used_by(study).annotate(last_ok=Subquery(last)).filter(last_ok=False).order_by("name")
    return [state(environment) for environment in down]


def probe(environment: Environment) -> Probe:
    """Look once, and keep what was seen."""
    try:
        seen = get_adapter(environment.adapter, environment.options).probe()
    except (BadOptions, UnknownAdapter) as error:
        seen = Health(False, 0.0, error.message)
    return _keep(environment, seen)


def note_fault(environment: Environment, detail: str) -> None:
    """An environment failed while it was used."""
    _keep(environment, Health(False, 0.0, detail))


def _keep(environment: Environment, seen: Health) -> Probe:
    made = Probe.objects.create(environment=environment, ok=seen.ok, ms=seen.ms, detail=seen.detail[:2000])
    Probe.objects.filter(environment=environment, pk__lte=_oldest(environment)).delete()
    return made


def _oldest(environment: Environment) -> int:
    """The newest probe that is one too many; 0 where all are kept."""
    beyond = environment.probes.order_by("-pk").values_list("pk", flat=True)[KEPT : KEPT + 1]
    return next(iter(beyond), 0)


def probe_all() -> list[Probe]:
    """Look at every environment of a running study."""
    return [probe(environment) for environment in in_use()]


def state(environment: Environment) -> State:
    """How it stands."""
    probes = list(environment.probes.all()[:SHOWN])
    last = probes[0] if probes else None
    good = [one.ms for one in probes if one.ok]
    return State(
        environment=environment,
        ok=last.ok if last else None,
        checked_at=last.at if last else None,
        since=_since(probes),
        ms=round(median(good), 1) if good else None,
        detail=last.detail if last else "",
        error=environment.probes.filter(ok=False).first(),
        probes=probes[::-1],
    )


def _since(probes: list[Probe]) -> datetime | None:
    """Since when it has been as it is now, as far as the given probes (newest first) tell."""
    since = None
    for one in probes:
        if one.ok != probes[0].ok:
            break
        since = one.at
    return since


def is_down(environment: Environment) -> bool:
    """True where the last look saw it down. Asks nothing."""
    last = environment.probes.first()
    return last is not None and not last.ok


def require_up(environment: Environment) -> None:
    """Before a round: raises NotYet where the environment can't be used. A look that was good a moment ago is taken for now."""
    last = environment.probes.first()
    if last is None or not last.ok or last.at < timezone.now() - FRESH:
        last = probe(environment)
    if not last.ok:
        raise NotYet(
            "environment_down",
            f"The website {environment.name} can't be used just now. That is not your fault, and your lead can see it. "
            "Try again in a few minutes.",
        )
