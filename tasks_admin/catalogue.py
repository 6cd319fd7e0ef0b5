"""Taking tasks and variants into the catalogue. Idempotent by content hash; what is in use is never deleted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from django.db import transaction

from annotate.models import Environment, Task, Variant


def content_hash(described: dict[str, Any]) -> str:
    """SHA-256 of a task's description in canonical JSON."""
    return hashlib.sha256(json.dumps(described, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


@transaction.atomic
def take_in(environment: Environment, tasks: Iterable[dict[str, Any]]) -> list[Task]:
    """Create or update the environment's tasks and their variants from descriptions.

    A description is `{task, title, instruction, difficulty, expected_steps, primitives, variants: [{variant, primitive,
    layer, description}]}`, as the control API's catalogue gives it. Returns the tasks in the given order.
    """
    return [_take_in_one(environment, described) for described in tasks]


def _take_in_one(environment: Environment, described: dict[str, Any]) -> Task:
    task, _ = Task.objects.update_or_create(
        environment=environment,
        slug=described["task"],
        defaults={
            "title": described["title"],
            "instruction": described["instruction"],
            "difficulty": described["difficulty"],
            "expected_steps": described["expected_steps"],
            "primitives": described["primitives"],
            "content_hash": content_hash(described),
        },
    )
    for variant in described["variants"]:
        fields = {name: variant[name] for name in ("primitive", "layer", "description")}
        Variant.objects.update_or_create(task=task, slug=variant["variant"], defaults=fields)
    return task
