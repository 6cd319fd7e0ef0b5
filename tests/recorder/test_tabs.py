"""Which tab a document is in."""

from __future__ import annotations

from recorder.tabs import Seen, tab_of


def seen(doc: str, tab: int, *keys: str, top: bool = True, closed: bool = False, silence: float = 0.5) -> Seen:
    return Seen(doc, tab, frozenset(keys), top, closed, silence)


def test_the_first_is_one_and_strangers_are_next() -> None:
    assert tab_of(["a"], top=True, known=[]) == (1, "")
    assert tab_of(["b"], top=True, known=[seen("x", 1, "a")]) == (2, "")


def test_a_reload_is_the_same_tab_and_a_living_twin_is_another() -> None:
    assert tab_of(["a"], top=True, known=[seen("x", 1, "a", closed=True)]) == (1, "")
    assert tab_of(["a"], top=True, known=[seen("x", 1, "a", silence=9)]) == (1, "")
    assert tab_of(["a"], top=True, known=[seen("x", 1, "a")]) == (2, "x")


def test_frames_are_with_their_page_whichever_comes_first() -> None:
    assert tab_of(["a"], top=False, known=[seen("x", 1, "a"), seen("y", 2, "b")]) == (1, "")
    assert tab_of([], top=False, known=[seen("x", 1, "a", silence=3), seen("y", 2, "b", silence=0.1)]) == (2, "")
    frame_first = [seen("f", 1, top=False)]
    assert tab_of(["a"], top=True, known=frame_first) == (1, "")
    assert tab_of(["b"], top=True, known=[*frame_first, seen("x", 1, "a")]) == (2, "")
