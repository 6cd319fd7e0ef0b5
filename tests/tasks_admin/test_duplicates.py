"""The duplicate audit's page: which pairs count, what is undefined, where verdicts differ, and its files."""

from __future__ import annotations

import csv
import json
from io import StringIO
from xml.etree import ElementTree as ET

import pytest

from annotate.actions import reviews
from annotate.models import Assignment, Attempt, Participation, Round
from tasks_admin.agreement import duplicates
from tasks_admin.agreement.scatter import Dot, scatter
from tests.cast import Cast, person
from tests.recorded import recorded_round
from tests.tasks_admin.test_review_pages import client

PAGE = "/studies/tea/duplicates/"


@pytest.fixture
def pair(cast: Cast) -> tuple[Round, Round]:
    """Ann's round, and a duplicate by Dan, whose warm attempt failed and took twice as long."""
    mine = cast.assignment(cast.ann)
    part = Participation.objects.create(study=cast.study, person=person("dan"), code="D1", tier="duplicate")
    theirs = Assignment.objects.create(
        participation=part, task_condition=mine.task_condition, role="duplicate", position=1
    )
    first = recorded_round(mine, {"cold": ["Add", "Pay"], "warm": ["Add", "Pay"]}, seconds=20)
    second = recorded_round(theirs, {"cold": ["Add", "Pay"], "warm": ["Add", "Note", "Pay"]}, seconds=40)
    Attempt.objects.filter(round=second, kind="warm").update(passed=False, score=0.5)
    return first, second


def test_a_pair_is_valid_once_both_sides_count(cast: Cast, pair: tuple[Round, Round]) -> None:
    assert duplicates.planned(cast.study) == 1
    found = duplicates.pairs(cast.study)
    assert [(one.primary.kind, one.agrees) for one in found] == [("cold", True), ("warm", False)]
    reviews.decide(pair[0], cast.lead, "exclude", "noise")
    assert duplicates.pairs(cast.study) == []


def test_the_figures_say_what_is_undefined(cast: Cast, pair: tuple[Round, Round]) -> None:
    warm = duplicates.figures(duplicates.pairs(cast.study))["warm"]
    assert warm["passes"]["table"] == [[0, 1], [0, 0]]
    assert (warm["time"]["median"], warm["steps"]["median"]) == (2.0, 1.5)
    assert warm["time"]["undefined"]["spearman"].startswith("ranks need two pairs")
    page = client(cast.lead).get(PAGE).content.decode()
    assert "ranks need two pairs" in page
    assert "nan" not in page.lower().replace("lena", "")


def test_disagreements_lead_into_the_viewer_with_what_was_decided(cast: Cast, pair: tuple[Round, Round]) -> None:
    reviews.decide(pair[1], cast.lead, "accept", "It really failed.")
    page = client(cast.lead).get(PAGE)
    text = page.content.decode()
    primary, duplicate = (one.attempts.get(kind="warm").pk for one in pair)
    assert f"/studies/tea/attempts/{primary}/?against={duplicate}#others" in text
    assert "nothing yet · accept" in text
    assert page.context["parted_count"] == 1


def test_its_files(cast: Cast, pair: tuple[Round, Round]) -> None:
    lead = client(cast.lead)
    body = b"".join(lead.get(PAGE + "file/pairs.csv/").streaming_content).decode()  # type: ignore[arg-type]
    rows = list(csv.DictReader(StringIO(body.removeprefix("\ufeff"))))
    assert [(row["attempt"], row["primary"], row["duplicate"], row["duplicate_passed"]) for row in rows] == [
        ("cold", "P1", "D1", "True"),
        ("warm", "P1", "D1", "False"),
    ]
    told = json.loads(lead.get(PAGE + "file/audit.json/").content)
    assert (told["planned"], told["figures"]["warm"]["pairs"], len(told["pairs"])) == (1, 1, 2)
    for name in ("time", "steps"):
        drawing = lead.get(f"{PAGE}file/{name}.svg/")
        assert drawing.headers["Content-Type"] == "image/svg+xml"
        assert ET.fromstring(drawing.content).tag.endswith("svg")  # noqa: S314  (made a line above)
    assert lead.get(PAGE + "file/other.svg/").status_code == 404


def test_a_study_without_duplicates_says_so(cast: Cast) -> None:
    assert "The plan has no duplicates" in client(cast.lead).get(PAGE).content.decode()
    assert client(cast.lead).get(PAGE + "file/time.svg/").status_code == 404


def test_equal_numbers_lie_on_the_diagonal() -> None:
    plot = scatter("T", "x", "y", [Dot(10, 10, "a", "#", "agrees"), Dot(1000, 500, "b", "#", "parts")])
    assert plot is not None
    one, other = plot.dots
    equal = plot.lines[0]
    assert one["x"] - plot.left == pytest.approx(plot.base - one["y"], abs=0.2)
    assert other["y"] > plot.base - (other["x"] - plot.left)
    assert (equal["x1"], equal["y1"]) == (plot.left, plot.base)
    assert [tick["label"] for tick in plot.ticks] == ["10", "20", "50", "100", "200", "500", "1000"]
    assert scatter("T", "x", "y", []) is None
