"""Interventions as data, one kind of parameters per layer. A site needs no code for seed, network and client.

seed     {"add": {table: [{"like": {…}, "with": {…}}]}, "change": [{"table", "where": {…}, "set": {…}}]}
         ``like`` finds the row to copy by plain fields, ``with`` says what differs.
server   {"rules": {name: value}}: the site asks ``session.rule(name)``.
network  {"match": "POST /path*", "fault": "ghost" | "unavailable" | "slow", "times": k, "ms": delay}
         ghost: the reply of a success, but nothing is kept; unavailable: 503; slow: the reply comes after ``ms``.
client   {"swallow": {"selector", "times"}} or {"overlay": {"path", "title", "text", …}}: read by the page script.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from tasks_admin.benchmark.engine.catalogue import Injection
from tasks_admin.benchmark.engine.predicates import holds
from tasks_admin.benchmark.engine.sessions import Session
from tasks_admin.benchmark.engine.tables import Tables


def apply_seed(tables: Tables, injections: tuple[Injection, ...]) -> None:
    """Change the initial tables as the injections of layer ``seed`` say."""
    for injection in injections:
        if injection.layer == "seed":
            _add(tables, injection.params.get("add", {}))
            _change(tables, injection.params.get("change", []))


def _add(tables: Tables, additions: Mapping[str, Any]) -> None:
    for table, rows in additions.items():
        for row in rows:
            fields = dict(copy.deepcopy(_one(tables, table, row["like"])) if "like" in row else {})
            fields.pop("id", None)
            tables.insert(table, **{**fields, **copy.deepcopy(row["with"])})


def _change(tables: Tables, changes: list[Any]) -> None:
    for change in changes:
        _one(tables, change["table"], change["where"]).update(copy.deepcopy(change["set"]))


def _one(tables: Tables, table: str, where: Mapping[str, Any]) -> dict[str, Any]:
    row = tables.find(table, lambda row: holds(where, row))
    if row is None:
        raise LookupError(f"no row of {table} is {dict(where)}")
    return row


@dataclass(frozen=True)
class Fault:
    """A network fault that strikes this request. ``key`` counts how often it has struck."""

    key: str
    kind: str
    times: int
    ms: int

    def strikes(self, session: Session) -> bool:
        return session.counters.get(self.key, 0) < self.times


def network_fault(session: Session, method: str, path: str) -> Fault | None:
    """The first network fault that matches and has not yet struck often enough."""
    for number, params in enumerate(session.of_layer("network")):
        wanted_method, _, pattern = params["match"].partition(" ")
        fault = Fault(f"network{number}", params["fault"], params.get("times", 1), params.get("ms", 0))
        if method == wanted_method and fnmatchcase(path, pattern) and fault.strikes(session):
            return fault
    return None


def page_options(session: Session) -> list[Any]:
    """What the page script needs to know; empty when the page is left alone."""
    return session.of_layer("client")
