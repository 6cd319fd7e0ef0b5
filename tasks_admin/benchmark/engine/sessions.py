"""Sessions: a site's state for one attempt, on disk after every change so that a restart forgets nothing."""

from __future__ import annotations

import copy
import json
import logging
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tasks_admin.benchmark.engine.catalogue import Injection, Variant
from tasks_admin.benchmark.engine.tables import Row, Tables

log = logging.getLogger(__name__)
ID = re.compile(r"[a-z0-9]+\.[A-Za-z0-9_-]{22}")


@dataclass
class Session:
    """One attempt at one task. ``counters``: how often each fault has struck; ``result``: the verdict once given."""

    id: str
    site: str
    task: str
    variant: str | None
    seed: int
    initial: dict[str, list[Row]]
    tables: Tables
    injections: tuple[Injection, ...] = ()
    counters: dict[str, int] = field(default_factory=dict)
    result: dict[str, Any] | None = None

    def rule(self, name: str) -> Any:
        """The value of a server-side change by name, or None if this session has none such."""
        for params in self.of_layer("server"):
            if name in params["rules"]:
                return params["rules"][name]
        return None

    def of_layer(self, layer: str) -> list[Any]:
        """Parameters of the injections of a layer."""
        return [injection.params for injection in self.injections if injection.layer == layer]

    def count(self, name: str) -> int:
        """Count one more and return how many there were before."""
        before = self.counters.get(name, 0)
        self.counters[name] = before + 1
        return before


class Store:
    """Sessions of all sites in a folder: ``<id>.json`` the session, ``<id>.log`` its requests, one JSON a line.

    ``variants`` finds a variant by (site, task, variant id): injections are code, so they are not stored.
    """

    def __init__(self, folder: Path, variants: Any) -> None:
        self.folder = folder
        self.variants = variants
        self._open: dict[str, Session] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def create(self, site: str, task: str, variant: str | None, seed: int, tables: Tables) -> Session:
        """A new session that begins with these tables."""
        session = Session(
            id=f"{site}.{secrets.token_urlsafe(16)}",
            site=site,
            task=task,
            variant=variant,
            seed=seed,
            initial=copy.deepcopy(tables.rows),
            tables=tables,
            injections=self._injections(site, task, variant),
        )
        self._open[session.id] = session
        self.save(session)
        return session

    def get(self, session_id: str) -> Session | None:
        """The session, from memory or disk; None if there is none such."""
        if session_id not in self._open:
            if not ID.fullmatch(session_id) or not self._file(session_id).exists():
                return None
            try:
                self._open[session_id] = self._load(session_id)
            except (ValueError, LookupError, TypeError):  # of an earlier version, whose tasks are no more
                log.exception("session %s cannot be read", session_id)
                return None
        return self._open[session_id]

    def save(self, session: Session) -> None:
        """Write the session; readers see the old file or the new one, never half of one.

        A session that was forgotten while a slow request was under way stays forgotten.
        """
        if self._open.get(session.id) is not session:
            return
        document = {
            "id": session.id,
            "site": session.site,
            "task": session.task,
            "variant": session.variant,
            "seed": session.seed,
            "initial": session.initial,
            "rows": session.tables.rows,
            "last_ids": session.tables.last_ids,
            "counters": session.counters,
            "result": session.result,
        }
        draft = self._file(session.id).with_suffix(".part")
        draft.write_text(json.dumps(document))
        draft.replace(self._file(session.id))

    def forget(self, session_id: str) -> None:
        """Drop the session and its log."""
        self._open.pop(session_id, None)
        self._file(session_id).unlink(missing_ok=True)
        self._log(session_id).unlink(missing_ok=True)

    def note(self, session_id: str, entry: dict[str, Any]) -> None:
        """Add one request to the log of a session that is not forgotten."""
        if session_id not in self._open:
            return
        with self._log(session_id).open("a") as out:
            out.write(json.dumps(entry) + "\n")

    def record(self, session_id: str) -> list[dict[str, Any]]:
        """The session's requests, oldest first."""
        log = self._log(session_id)
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def _load(self, session_id: str) -> Session:
        stored = json.loads(self._file(session_id).read_text())
        tables = Tables(stored.pop("rows"), stored.pop("last_ids"))
        injections = self._injections(stored["site"], stored["task"], stored["variant"])
        return Session(tables=tables, injections=injections, **stored)

    def _injections(self, site: str, task: str, variant_id: str | None) -> tuple[Injection, ...]:
        variant: Variant | None = self.variants(site, task, variant_id)
        return variant.injections if variant else ()

    def _file(self, session_id: str) -> Path:
        return self.folder / f"{session_id}.json"

    def _log(self, session_id: str) -> Path:
        return self.folder / f"{session_id}.log"
