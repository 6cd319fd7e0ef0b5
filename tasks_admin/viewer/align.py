"""How the steps of two attempts align: edit distance over steps (Needleman and Wunsch 1970), pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Step = dict[str, Any]
Kind = Literal["same", "changed", "left", "right"]
MOST = 600  # steps of one side; more take too long for a page
GAP = 2  # a step that only one side has
HALF = 2  # the same act on another element, or another act on the same one
OTHER = 3  # nothing in common: still less than a gap on each side, so that such steps stand beside each other


@dataclass(frozen=True)
class Pair:
    """Places of two steps that stand beside each other, None where a side has none, and what they have in common."""

    left: int | None
    right: int | None
    kind: Kind


@dataclass(frozen=True)
class Alignment:
    """The pairs in order, and how many are the same, changed, or on one side only."""

    pairs: list[Pair]

    def count(self, kind: Kind) -> int:
        return sum(pair.kind == kind for pair in self.pairs)

    @property
    def distance(self) -> int:
        """Edit distance: steps to change, put in or take out."""
        return sum(pair.kind != "same" for pair in self.pairs)

    @property
    def parts_at(self) -> int | None:
        """Place of the first pair that is not the same; None where all are."""
        return next((place for place, pair in enumerate(self.pairs) if pair.kind != "same"), None)


def identity(step: Step) -> tuple[str, str]:
    """What a step did and to what: its type, and the target by test id, role and name, or CSS."""
    target = step.get("target") or step.get("from") or {}
    name = target.get("name") or target.get("text") or ""
    named = f"{target.get('role') or target.get('tag') or ''} {name}" if name else ""
    what = target.get("testid") or named or target.get("css") or target.get("xpath") or where(step)
    return step["type"], str(what)


def where(step: Step) -> str:
    """What a step without a target did: the key, or the path it went to, without the recording's own origin."""
    address = str(step.get("url") or "")
    path = address.split("://", 1)[-1].partition("/")[2].partition("?")[0]
    return str(step.get("key") or path)


def cost(one: tuple[str, str], other: tuple[str, str]) -> int:
    """What it takes to make one step the other."""
    if one == other:
        return 0
    return HALF if one[0] == other[0] or one[1] == other[1] else OTHER


def align(left: Sequence[Step], right: Sequence[Step]) -> Alignment | None:
    """The cheapest alignment; of equal ones that which keeps steps beside each other. None where a side has over MOST steps."""
    if max(len(left), len(right)) > MOST:
        return None
    ones, others = [identity(step) for step in left], [identity(step) for step in right]
    table = [[GAP * place for place in range(len(others) + 1)]]
    for row, one in enumerate(ones, 1):
        above, line = table[-1], [GAP * row]
        for column, other in enumerate(others, 1):
            line.append(min(above[column - 1] + cost(one, other), above[column] + GAP, line[-1] + GAP))
        table.append(line)
    return Alignment(walk_back(table, ones, others))


def walk_back(table: list[list[int]], ones: list[tuple[str, str]], others: list[tuple[str, str]]) -> list[Pair]:
    """The pairs that the table's last number is made of."""
    row, column, pairs = len(ones), len(others), []
    while row or column:
        both = row and column and table[row - 1][column - 1] + cost(ones[row - 1], others[column - 1])
        if row and column and table[row][column] == both:
            row, column = row - 1, column - 1
            pairs.append(Pair(row, column, "same" if ones[row] == others[column] else "changed"))
        elif row and table[row][column] == table[row - 1][column] + GAP:
            row -= 1
            pairs.append(Pair(row, None, "left"))
        else:
            column -= 1
            pairs.append(Pair(None, column, "right"))
    return pairs[::-1]
