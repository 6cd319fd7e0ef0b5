"""Maximum bipartite matching."""

from __future__ import annotations

from collections.abc import Sequence


def maximum_matching(edges: Sequence[Sequence[int]]) -> dict[int, int]:
    """Pair as many left nodes as possible with distinct right nodes (augmenting paths).

    ``edges[left]`` lists the right nodes that suit ``left``. Returns {left: right}.
    """
    left_of: dict[int, int] = {}
    for left in range(len(edges)):
        _augment(left, edges, left_of, set())
    return {left: right for right, left in left_of.items()}


def _augment(left: int, edges: Sequence[Sequence[int]], left_of: dict[int, int], seen: set[int]) -> bool:
    for right in edges[left]:
        if right in seen:
            continue
        seen.add(right)
        if right not in left_of or _augment(left_of[right], edges, left_of, seen):
            left_of[right] = left
            return True
    return False
