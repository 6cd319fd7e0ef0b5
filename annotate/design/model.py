"""What a design says, and what a plan gives back."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from recorder.errors import FootpathError

Condition = Literal["clean", "intervention"]


class BadDesign(FootpathError):
    """A design that cannot be planned for because it is not one; says the field and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__("bad_design", 400, message)


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Rule(Strict):
    """`per_cell`: `n` of every cell, a cell being one combination of the fields `by`. `all`: everything."""

    rule: Literal["per_cell", "all"] = "per_cell"
    n: int = Field(1, ge=1)
    by: tuple[Literal["environment", "difficulty", "primitive"], ...] = ("environment", "difficulty")


class Somebody(Strict):
    """A person by code; `capacity` is how many assignments (task-conditions) they may get, None for no limit."""

    code: str = Field(min_length=1, max_length=20)
    tier: Literal["primary", "duplicate"]
    excludes: frozenset[str] = frozenset()
    capacity: int | None = Field(None, ge=0)


class TaskRow(Strict):
    """A task of the catalogue; without a `variant` it has no intervention."""

    task: str = Field(min_length=1)
    environment: str = Field(min_length=1)
    difficulty: str = Field(min_length=1)
    variant: str | None = None
    primitive: str | None = None


class Design(Strict):
    """A design file."""

    seed: int = 42
    conditions: tuple[Condition, ...] = ("clean", "intervention")
    passes: tuple[Literal["cold", "warm"], ...] = ("cold", "warm")
    panel: Rule = Rule(rule="all")
    duplicates: Rule | None = None
    people: tuple[Somebody, ...]
    tasks: tuple[TaskRow, ...]

    @field_validator("conditions")
    @classmethod
    def some_conditions(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value or len(set(value)) != len(value):
            raise ValueError("name each condition once, and at least one")
        return value

    @model_validator(mode="after")
    def names_are_unique(self) -> Design:
        for what, names in (("people", [one.code for one in self.people]), ("tasks", [one.task for one in self.tasks])):
            if twice := sorted(
                {name for name in names if names.count(name) > 1} if len(names) < 500 else repeated(names)
            ):
                raise ValueError(f"{what}: {', '.join(twice[:5])} is there more than once")
        if self.duplicates and self.duplicates.rule == "all":
            raise ValueError("duplicates: only the rule per_cell is known")
        known = {one.environment for one in self.tasks}
        for one in self.people:
            if unknown := sorted(one.excludes - known):
                raise ValueError(
                    f"people: {one.code} excludes {', '.join(unknown)}, which no task has as its environment"
                )
        return self

    def tier(self, name: str) -> list[Somebody]:
        """People of a tier, in the design's order."""
        return [one for one in self.people if one.tier == name]


def repeated(names: list[str]) -> set[str]:
    seen: set[str] = set()
    return {name for name in names if name in seen or seen.add(name)}  # type: ignore[func-returns-value]


def read_design(data: Any) -> Design:
    """A design from the file's data. Raises BadDesign with the first field that is wrong."""
    try:
        return Design.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the design"
        raise BadDesign(f"{place}: {first['msg'].removeprefix('Value error, ')}") from error


class Assignment(Strict):
    """A place in the plan; `position` counts from 1 in each person's order."""

    task: str
    environment: str
    difficulty: str
    condition: Condition
    code: str
    role: Literal["primary", "duplicate"]
    position: int


def in_place(task: TaskRow, condition: str, code: str, role: str, position: int) -> Assignment:
    """A task under a condition in somebody's list."""
    return Assignment.model_validate(
        {
            "task": task.task,
            "environment": task.environment,
            "difficulty": task.difficulty,
            "condition": condition,
            "code": code,
            "role": role,
            "position": position,
        }
    )


class Plan(Strict):
    """`status` is optimal (balance proven best), feasible or infeasible; `conflicts` says in words why the last."""

    status: Literal["optimal", "feasible", "infeasible"]
    panel: tuple[str, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    conflicts: tuple[str, ...] = ()
    balance: dict[str, Any] = Field(default_factory=dict)
