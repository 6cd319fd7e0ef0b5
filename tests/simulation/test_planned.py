"""Planned widths: they fall as they should, agree with what drawn studies get, and refuse what nobody can expect."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tasks_admin.simulation.draw import Size
from tasks_admin.simulation.planned import BadExpectation, Expected, Planned, fewest
from tasks_admin.simulation.power import widths
from tasks_admin.simulation.truth import Truth

USUAL = Expected(0.85, 0.08)
VARIED = Truth(log_odds=0.5, intervention=-1.0, task_sd=1.5, person_sd=1.0)


@pytest.mark.parametrize(
    ("truth", "size"), [(Truth(), Size(4, 3, 12, 0)), (VARIED, Size(4, 3, 12, 0)), (Truth(), Size(7, 4, 8, 0))]
)
def test_they_agree_with_drawn_studies(truth: Truth, size: Size) -> None:
    """Within 15 % of the median of drawn ones, over tasks and over people."""
    expected, (drawn,) = Expected.of(truth), widths(truth, [size], studies=20)
    assert expected.drop_half(size.tasks) == pytest.approx(drawn.median, rel=0.15)
    assert expected.rate_half("clean", size.tasks) == pytest.approx(drawn.clean, rel=0.15)
    assert expected.people_half("clean", size.tasks, size.people) == pytest.approx(drawn.clean_people, rel=0.15)


def test_without_spreads_they_are_the_binomial_ones() -> None:
    alike = Expected(0.8, 0.2, 0, 0, 0)
    assert alike.differ == pytest.approx(0.8 * 0.4 + 0.6 * 0.2)
    assert alike.rate_half("clean", 100) == pytest.approx(100 * 1.959964 * 0.04, rel=1e-5)
    assert alike.between["clean"] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("person_sd", [0.0, 0.3, 2.0])
def test_more_is_never_wider(person_sd: float) -> None:
    expected = Expected(0.85, 0.08, person_sd=person_sd)
    by_tasks = [
        (expected.drop_half(n), expected.rate_half("clean", n), expected.sure_half("clean", n, 8))
        for n in (40, 80, 160, 5000)
    ]
    for column in zip(*by_tasks, strict=True):
        assert all(first > second for first, second in pairwise(column))
    by_people = [expected.sure_half("clean", 400, people) for people in (3, 4, 8, 16, 64, 400)]
    assert all(first > second for first, second in pairwise(by_people))


def test_tasks_that_differ_more_make_the_drop_narrower_and_people_who_differ_more_their_interval_wider() -> None:
    assert Expected(0.85, 0.08, task_sd=2).variance < USUAL.variance
    wide, narrow = (Expected(0.85, 0.08, person_sd=sd).people_half("clean", 400, 12) for sd in (1.5, 0.1))
    assert wide > 1.5 * narrow


def test_the_smallest_study_is_the_smallest() -> None:
    tasks = fewest(USUAL.drop_half, 5)
    assert USUAL.drop_half(tasks) <= 5 < USUAL.drop_half(tasks - 1)
    assert fewest(USUAL.drop_half, 1e-6) is None


def test_of_too_few_nothing_is_told() -> None:
    assert USUAL.drop_half(10) is None  # three of them would differ
    assert USUAL.rate_half("clean", 30) is None
    assert USUAL.people_half("clean", 140, 2) is None


def test_a_study_takes_people_for_its_tasks() -> None:
    planned = Planned(140, 4, 70, 35)
    assert (planned.needed, planned.duplicators, planned.people_for(140), planned.people_for(141)) == (280, 1, 4, 5)
    assert (planned.tasks_of(5), planned.people_for(3)) == (175, 2)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"clean": 1.0}, "from 1 to 99 %"),
        ({"clean": float("nan")}, "from 1 to 99 %"),
        ({"drop": 0.9}, "under intervention"),
        ({"drop": float("nan")}, "under intervention"),
        ({"person_sd": -1.0}, "from 0 to 5"),
        ({"task_sd": float("inf")}, "from 0 to 5"),
    ],
)
def test_what_nobody_can_expect_is_refused(wrong: dict[str, float], said: str) -> None:
    with pytest.raises(BadExpectation, match=said):
        Expected(**{"clean": 0.85, "drop": 0.08} | wrong)


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ((1, 4, 1), "from 2"),
        ((10, 1, 5), "from 2"),
        ((10, 4, 11), "meets no task twice"),
        ((10, 4, 5, 21), "Duplicates"),
    ],
)
def test_sizes_that_cannot_be_are_refused(size: tuple[int, ...], said: str) -> None:
    with pytest.raises(BadExpectation, match=said):
        Planned(*size)
