"""The rating instrument: data of the study, checked here. The `human-140` one is that of the paper's Table 30 (H.5)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ValidationError

from annotate.errors import BadInput


class Item(BaseModel, frozen=True):
    """A question: a scale with 1..`points`, or a box to tick. `only` limits it to one condition."""

    id: str
    label: str
    kind: Literal["scale", "box"]
    low: str = ""
    high: str = ""
    points: int = 5
    only: Literal["clean", "intervention"] | None = None


HUMAN_140: list[dict[str, Any]] = [
    {"id": "clarity", "label": "Clarity", "kind": "scale", "low": "unclear", "high": "clear"},
    {"id": "realism", "label": "Realism", "kind": "scale", "low": "contrived", "high": "realistic"},
    {"id": "fun", "label": "Fun or demo value", "kind": "scale", "low": "dull", "high": "worth showing"},
    {
        "id": "naturalness",
        "label": "Naturalness of what went wrong",
        "kind": "scale",
        "low": "artificial",
        "high": "could really happen",
        "only": "intervention",
    },
    {"id": "suspected_bug", "label": "I suspect a bug", "kind": "box"},
    {"id": "ambiguous_instruction", "label": "The instruction is ambiguous", "kind": "box"},
    {"id": "alternate_strategy", "label": "I solved it another way than intended", "kind": "box"},
    {"id": "intervention_unfair", "label": "What went wrong was unfair", "kind": "box", "only": "intervention"},
]


def items(instrument: list[dict[str, Any]], condition: str) -> list[Item]:
    """The questions to ask under `condition`, in the study's order."""
    return [item for item in (Item(**raw) for raw in instrument) if item.only in (None, condition)]


def check_instrument(instrument: list[dict[str, Any]]) -> None:
    """Raises BadInput where the instrument is not a list of items with ids of their own."""
    try:
        ids = [Item(**raw).id for raw in instrument]
    except (ValidationError, TypeError) as error:
        raise BadInput(f"The rating instrument has a faulty item: {error}", "instrument") from error
    if len(ids) != len(set(ids)):
        raise BadInput("The rating instrument uses an item id twice.", "instrument")


def check_answers(instrument: list[dict[str, Any]], condition: str, answers: dict[str, Any]) -> dict[str, int | bool]:
    """The answers as stored: scale points as integers 1..points, boxes as true. Raises BadInput on anything else."""
    known = {item.id: item for item in items(instrument, condition)}
    kept: dict[str, int | bool] = {}
    for name, value in answers.items():
        if name not in known:
            raise BadInput(f"There is no question {name!r} in this rating.", name)
        if value is None or value is False or value == "":
            continue
        kept[name] = _checked(known[name], value)
    return kept


def _checked(item: Item, value: Any) -> int | bool:
    if item.kind == "box":
        if value is not True:
            raise BadInput(f"{item.label}: ticked or not, nothing else.", item.id)
        return True
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= item.points:
        raise BadInput(f"{item.label}: a whole number from 1 to {item.points}.", item.id)
    return value
