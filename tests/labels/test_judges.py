"""Judges against people: the figures from known words, line by line, and what is undefined says why."""

from __future__ import annotations

import pytest

from tasks_admin.agreement import judges
from tasks_admin.agreement.judges import Judged

YES, NO, SPLIT = {"lead 1": True}, {"lead 1": False, "lead 2": False}, {"lead 1": True, "lead 2": False}


def runs(model: str, said: bool | None, words: dict[str, bool], count: int, begin: int) -> list[Judged]:
    return [Judged("run", begin + n, model, words, {"WebJudge": said}) for n in range(count)]


FOUND = [
    *runs("a", True, YES, 6, 0),
    *runs("a", True, NO, 2, 10),
    *runs("a", False, YES, 1, 20),
    *runs("a", False, NO, 3, 30),
    *runs("a", None, YES, 2, 40),
    *runs("b", True, NO, 4, 50),
    *runs("b", True, SPLIT, 1, 60),
]
BY_HAND = Judged("attempt", 1, judges.PEOPLE, YES, {"WebJudge": False})


def test_a_line_over_all_models_and_one_per_model() -> None:
    every, a, b = judges.figures(FOUND)
    assert [(one["model"], one["n"], one["unsure"], one["split"]) for one in (every, a, b)] == [
        ("all models", 16, 2, 1),
        ("a", 12, 2, 0),
        ("b", 4, 0, 1),
    ]
    assert a["table"] == [[6, 2], [1, 3]]
    assert (a["agreement"], a["precision"], a["recall"]) == (0.75, 0.75, pytest.approx(6 / 7))
    chance = (8 * 7 + 4 * 5) / 144
    assert a["kappa"] == pytest.approx((0.75 - chance) / (1 - chance))
    for name in ("agreement", "kappa", "precision", "recall"):
        low, high = a["intervals"][name]
        assert low < a[name] < high
    assert a["thin"]


def test_what_people_did_by_hand_has_a_line_of_its_own() -> None:
    every, _, _, people = judges.figures([*FOUND, BY_HAND])
    assert (every["n"], people["model"], people["table"]) == (16, "people", [[0, 0], [1, 0]])


def test_what_is_undefined_says_why() -> None:
    b = judges.figures(FOUND)[2]
    assert (b["agreement"], b["precision"], b["recall"]) == (0.0, 0.0, None)
    assert b["undefined"]["recall"] == "people pass nothing that the judge spoke of"
    (none,) = judges.figures(runs("c", False, NO, 3, 0))
    assert none["kappa"] is None
    assert "chance alone" in none["undefined"]["kappa"]
    assert none["undefined"]["precision"] == "the judge passes nothing that people labelled"
    (unsure,) = judges.figures(runs("c", None, NO, 3, 0))
    assert (unsure["n"], unsure["undefined"]["agreement"]) == (0, "there is no pair")
    assert judges.figures([]) == []


def test_every_line_can_be_traced_and_is_a_row_of_the_table() -> None:
    a = judges.figures(FOUND)[1]
    cells = [one.cell("WebJudge") for one in FOUND if one.model == "a"]
    assert {name: cells.count(name) for name in judges.CELLS} == a["cells"]
    assert FOUND[0].cell("another") is None
    row = list(judges.rows(judges.figures(FOUND)))[1]
    assert set(row) == set(judges.COLUMNS)
    assert (row["both_pass"], row["judge_only"], row["people_only"], row["neither"]) == (6, 2, 1, 3)


def test_people_with_each_other() -> None:
    told = judges.between_people(FOUND)
    assert (told["pairs"], told["table"]) == (10, [[0, 1], [0, 9]])
    assert judges.between_people([])["undefined"]["kappa"] == "there is no pair"
