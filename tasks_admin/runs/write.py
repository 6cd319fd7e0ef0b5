"""Writing runs in batches, with what may be looked at of them and the labels that came with them."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any, NamedTuple

from tasks_admin.labels.keep import Keeper
from tasks_admin.models import Run, RunImport, RunTrajectory
from tasks_admin.runs.shape import Refusals, RunIn

BATCH = 2000
BATCH_STEPS = 20_000  # steps to look at that wait in memory
COMPARED = (
    "run_id", "score", "passed", "verdict_source", "completed", "steps", "step_unit", "elapsed_ms", "time_unit", "detail",
)  # fmt: skip


class Before(NamedTuple):
    """A run that is there already: a digest of its values, the file's own id, and its key, until this import meets it itself."""

    state: bytes
    run_id: str
    pk: int | None = None


def state_of(run: Run) -> bytes:
    """A digest of everything that two imports of one run must have in common."""
    told = [steady(getattr(run, name)) for name in COMPARED]
    return blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=16).digest()


def steady(value: Any) -> Any:
    """A value as it compares: the database gives whole numbers back as they are written, 3 or 3.0."""
    if isinstance(value, dict):
        return {name: steady(one) for name, one in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


class Writer:
    """Collects runs and writes them a batch at a time."""

    def __init__(self, made: RunImport, rejected: Refusals) -> None:
        self.made, self.rejected = made, rejected
        self.new: list[tuple[Run, RunIn]] = []
        self.old: list[tuple[int, RunIn]] = []  # of runs that are there already: what an earlier import did not keep
        self.steps = 0
        self.keeper: Keeper | None = None

    def add(self, run: Run, row: RunIn) -> None:
        """A run that was not there."""
        self.new.append((run, row))
        self.weigh(row)

    def add_to(self, pk: int, row: RunIn) -> None:
        """What a file tells of a run that is there."""
        if row.seen or row.labels:
            self.old.append((pk, row))
            self.weigh(row)

    def weigh(self, row: RunIn) -> None:
        self.steps += len(row.seen.steps) if row.seen else 0
        if len(self.new) + len(self.old) >= BATCH or self.steps >= BATCH_STEPS:
            self.flush()

    def flush(self) -> None:
        made = Run.objects.bulk_create([run for run, _ in self.new])
        rows = self.old + [(run.pk, row) for run, (_, row) in zip(made, self.new, strict=True)]
        RunTrajectory.objects.bulk_create(
            [trajectory_of(pk, row) for pk, row in rows if row.seen], ignore_conflicts=True
        )
        for pk, row in rows:
            for label in row.labels:
                self.labels().take(row.place, "run", pk, label)
        self.new, self.old, self.steps = [], [], 0

    def labels(self) -> Keeper:
        """What keeps the labels; begun with the first of them."""
        if self.keeper is None:
            self.keeper = Keeper(self.made.study, self.made.actor, self.made.name)
        return self.keeper

    def close(self) -> int:
        """Write what is left; how many labels were taken."""
        self.flush()
        if self.keeper is None:
            return 0
        self.rejected.extend(self.keeper.rejected)
        self.keeper.close()
        return self.keeper.taken


def trajectory_of(pk: int, row: RunIn) -> RunTrajectory:
    assert row.seen is not None
    seen = row.seen
    return RunTrajectory(run_id=pk, task_text=seen.task, steps=seen.steps, answer=seen.answer, cut=seen.cut)
