"""The part of a design that a study keeps as one piece; its seed, people and tasks are rows of their own."""

from __future__ import annotations

from typing import Any

from pydantic import Field, ValidationError, field_validator

from annotate.design.model import BadDesign, Condition, Rule, Strict

ONLY_PASSES = "A round is always cold and then warm; studies of one pass can't be run."


class Kept(Strict):
    """`environments` whose current tasks are the catalogue, or of these the tasks that `only` lists; tasks are named
    "environment/task", the `practice` one too, which may be none.

    Expected hours, where too little was measured: `seconds_per_step` × a task's expected steps for each attempt, and
    `overhead_seconds` around each assignment (reading, preparing, rating).
    """

    environments: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ("clean", "intervention")
    passes: tuple[str, ...] = ("cold", "warm")
    panel: Rule = Rule(rule="all")
    duplicates: Rule | None = None
    practice: str = ""
    seconds_per_step: int = Field(15, ge=1, le=600)
    overhead_seconds: int = Field(120, ge=0, le=3600)

    @field_validator("passes")
    @classmethod
    def both_passes(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if value != ("cold", "warm"):
            raise ValueError(ONLY_PASSES)
        return value

    @field_validator("conditions")
    @classmethod
    def some_condition(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value or len(set(value)) != len(value):
            raise ValueError("name each condition once, and at least one")
        return value


def read_kept(data: Any) -> Kept:
    """The kept part. Raises BadDesign with the first field that is wrong."""
    try:
        return Kept.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the design"
        raise BadDesign(f"{place}: {first['msg'].removeprefix('Value error, ')}") from error
