"""Tasks and their intervention variants, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tasks_admin.benchmark.engine.scoring import Spec
from tasks_admin.benchmark.engine.tables import Tables

DIFFICULTIES = ("easy", "medium", "hard", "expert", "frontier")
LAYERS = ("seed", "server", "network", "client")
PRIMITIVES = ("grounding", "planning", "state_tracking", "backtracking", "patience", "exploration", "verification")


@dataclass(frozen=True)
class Injection:
    """One thing an intervention does: a layer of LAYERS and the parameters that layer understands."""

    layer: str
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Variant:
    """One intervention for one task, aimed at one primitive."""

    id: str
    primitive: str
    description: str
    injections: tuple[Injection, ...]

    @property
    def layer(self) -> str:
        return self.injections[0].layer


@dataclass(frozen=True)
class Task:
    """One task. ``spec`` turns the initial tables into what scoring asks for; None if the page itself decides."""

    id: str
    title: str
    instruction: str
    difficulty: str
    expected_steps: int | None
    primitives: tuple[str, ...]
    start_path: str = "/"
    spec: Callable[[Tables], Spec] | None = None
    variants: tuple[Variant, ...] = field(default=())

    def variant(self, variant_id: str | None) -> Variant | None:
        """The variant of this id, or None for None. Raises KeyError."""
        if variant_id is None:
            return None
        return {variant.id: variant for variant in self.variants}[variant_id]


def described(task: Task) -> dict[str, Any]:
    """The task as the control API's catalogue shows it."""
    return {
        "task": task.id,
        "title": task.title,
        "instruction": task.instruction,
        "difficulty": task.difficulty,
        "expected_steps": task.expected_steps,
        "primitives": list(task.primitives),
        "variants": [
            {"variant": v.id, "primitive": v.primitive, "layer": v.layer, "description": v.description}
            for v in task.variants
        ],
    }
