"""What a site gives to the server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from aiohttp import web

from tasks_admin.benchmark.engine.catalogue import Task
from tasks_admin.benchmark.engine.interventions import apply_seed
from tasks_admin.benchmark.engine.scoring import Result, score
from tasks_admin.benchmark.engine.sessions import Session, Store
from tasks_admin.benchmark.engine.tables import Tables


class Site(Protocol):
    """A website of the benchmark. ``refuse`` lists path patterns that no annotator's browser needs."""

    @property
    def name(self) -> str: ...

    @property
    def tasks(self) -> Sequence[Task]: ...

    @property
    def refuse(self) -> tuple[str, ...]: ...

    def initial(self, seed: int) -> Tables:
        """The state a session of this seed begins with."""

    def app(self, store: Store) -> web.Application:
        """The website."""

    def instruction(self, session: Session, task: Task) -> str | None:
        """What the person is asked to do, as far as known now."""

    def verdict(self, session: Session, task: Task) -> dict[str, Any]:
        """{score, passed, source, checks}."""


def begin(site: Site, store: Store, task: Task, variant_id: str | None, seed: int) -> Session:
    """Open a session. Raises KeyError for an unknown variant."""
    variant = task.variant(variant_id)
    tables = site.initial(seed)
    if variant:
        apply_seed(tables, variant.injections)
    return store.create(site.name, task.id, variant_id, seed, tables)


def state_verdict(session: Session, task: Task) -> dict[str, Any]:
    """The verdict by state, for sites that keep it on the server."""
    if task.spec is None:
        raise TypeError(f"task {task.id} has no spec")
    spec = task.spec(Tables(session.initial))
    return as_verdict(score(spec, session.initial, session.tables.rows))


def as_verdict(result: Result) -> dict[str, Any]:
    """The result as the control API gives it."""
    checks = [
        {"name": x.name, "passed": x.passed, "kind": x.kind, "detail": x.detail, "weight": x.weight}
        for x in result.lines
    ]
    return {"score": result.score, "passed": result.passed, "source": "server", "checks": checks}
