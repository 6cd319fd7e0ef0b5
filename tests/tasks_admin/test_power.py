"""The page Power: begins with what the study tells, answers with the report's intervals, refuses what cannot be."""

from __future__ import annotations

import json

import pytest

from annotate.models import Environment, Study, StudyRole, Task
from tasks_admin.models import ComparisonReport
from tasks_admin.power import told
from tasks_admin.power.asked import begin
from tasks_admin.simulation.planned import Expected, Planned, fewest
from tests.cast import Cast
from tests.tasks_admin.test_review_pages import client

PAGE = "/studies/tea/power/"
ASKED = {
    "target": "5", "pass_rate": "85", "drop": "8", "tasks": "140", "people": "4", "each": "70", "duplicates": "35", "task_sd": "0.8",
    "person_sd": "0.3", "pair_sd": "0.4",
}  # fmt: skip
USUAL, SIZE = Expected(0.85, 0.08, 0.8, 0.3, 0.4), Planned(140, 4, 70, 35)


def test_the_page_answers_with_the_smallest_study(cast: Cast) -> None:
    shown = client(cast.lead).get(PAGE, ASKED)
    drop = shown.context["answers"][0]
    assert drop.tasks == fewest(USUAL.drop_half, 5)
    assert drop.people == SIZE.people_for(drop.tasks)
    text = shown.content.decode()
    assert f"<strong>{drop.tasks} tasks</strong>" in text
    for part in ("bootstrap over tasks", "one over people", "The 35 duplicates narrow none", "narrow neither the drop"):
        assert part in text


def test_where_people_do_not_differ_none_of_it_is_put_down_to_them(cast: Cast) -> None:
    assert "or more (by Student’s t)" in client(cast.lead).get(PAGE, ASKED).content.decode()
    assert "or more (by Student’s t)" not in client(cast.lead).get(PAGE, ASKED | {"person_sd": "0"}).content.decode()


def test_a_study_that_the_people_cannot_do_is_told(cast: Cast) -> None:
    shown = client(cast.lead).get(PAGE, ASKED | {"each": "30"})
    assert "4 people with 30 assignments each do 120" in shown.content.decode()
    assert "Take 10 people, 70 assignments each, or 60 tasks." in shown.content.decode()


def test_it_begins_with_the_studys_size_and_the_newest_comparisons_figures(cast: Cast) -> None:
    first, sources = begin(cast.study)
    assert (first["tasks"], first["people"], first["each"]) == (140, 2, 140)
    assert "With fewer than two tasks, the panel is a usual one." in sources[0]
    assert "no comparison was made yet" in sources[1]
    rates = {"clean": {"warm": {"pass_rate": 0.9}}, "intervention": {"warm": {"pass_rate": 1.0}}}
    figures = {"human_panel": rates, "mixed_model": {"passed": {"sd": {"task": 1.234, "person": 0.1, "pair": 9.0}}}}
    ComparisonReport.objects.create(
        study=cast.study, state="done", figures=figures, sheets=[], plots=[], made_at=cast.study.created_at
    )
    first, sources = begin(cast.study)
    assert (first["pass_rate"], first["drop"]) == (90.0, -9.0)
    assert (first["task_sd"], first["person_sd"], first["pair_sd"]) == (1.23, 0.1, 5)
    assert "mixed model of the comparison" in sources[1]
    figures["mixed_model"] = {"passed": {"sd": {"task": 1.234, "person": 0.001}}}
    ComparisonReport.objects.update(figures=figures)
    first, sources = begin(cast.study)
    assert (first["task_sd"], first["person_sd"], first["pair_sd"]) == (1.23, 0.3, 0.4)
    assert "None showed between people and of a person with a task" in sources[1]
    assert client(cast.lead).get(PAGE).status_code == 200


def test_a_draft_begins_with_its_design(cast: Cast) -> None:
    draft = Study.objects.create(slug="new", name="New")
    StudyRole.objects.create(study=draft, person=cast.lead, role="owner")
    assert "Fewer than two people of the primary tier take part yet" in begin(draft)[1][0]
    assert client(cast.lead).get("/studies/new/power/").status_code == 200
    shop = Environment.objects.get(slug="toyshop")
    for number in range(4):
        Task.objects.create(environment=shop, slug=f"task-{number}", title="T", instruction="Do it.", difficulty="easy")
    cell = {"rule": "per_cell", "n": 3, "by": ["environment", "difficulty"]}
    draft.design = {"environments": ["toyshop"], "conditions": ["clean"], "panel": cell, "duplicates": cell | {"n": 1}}
    draft.save()
    first, sources = begin(draft)
    assert (first["tasks"], first["people"], first["each"], first["duplicates"]) == (3, 4, 2, 1)
    assert sources[0].startswith("The size is that of the design")
    assert "It has the condition clean only; a drop needs both." in sources[0]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"pass_rate": "nan"}, "Enter a number"),
        ({"target": "0"}, "greater than or equal to 0.5"),
        ({"drop": "90"}, "expect one from 1 to 99 %"),
        ({"tasks": "1"}, "from 2 to 100,000 tasks"),
        ({"each": "141"}, "meets no task twice"),
        ({"people": ""}, "required"),
    ],
)
def test_what_cannot_be_is_refused_in_words(cast: Cast, wrong: dict[str, str], said: str) -> None:
    lead = client(cast.lead)
    shown = lead.get(PAGE, ASKED | wrong)
    assert shown.status_code == 400
    assert said in shown.content.decode()
    assert lead.get(f"{PAGE}plot.svg", ASKED | wrong).status_code == 400


def test_tables_and_plot_can_be_taken_away(cast: Cast) -> None:
    lead = client(cast.lead)
    rows = json.loads(lead.get(f"{PAGE}tables/by_people.json", ASKED).content)["rows"]
    assert [row["people"] for row in rows] == [3, 4, 6, 8, 12, 16, 24, 32, 48]
    assert len({row["drop"] for row in rows}) == 1  # whoever does the tasks
    assert lead.get(f"{PAGE}tables/curve.csv", ASKED).content.startswith(b"interval,people,tasks,half_width")
    assert rb"$\pm$" in lead.get(f"{PAGE}tables/by_tasks.tex", ASKED).content
    assert lead.get(f"{PAGE}tables/nothing.csv", ASKED).status_code == 404
    plot = lead.get(f"{PAGE}plot.svg", ASKED | {"as": "file"})
    assert plot.content.startswith(b"<svg")
    assert "tea-power.svg" in plot.headers["Content-Disposition"]


@pytest.mark.parametrize("rate", [0.01, 0.5, 0.99])
def test_no_answer_is_ever_nan(rate: float) -> None:
    expected = Expected(rate, 0.0, 5, 5, 5)
    for size in (Planned(2, 2, 1), Planned(100_000, 100_000, 2, 200_000)):
        for sheet in told.everything(expected, size, 0.5).values():
            json.dumps(sheet.rows, allow_nan=False)
        assert len(told.answers(expected, size, 0.5)) == 5
        assert "nan" not in " ".join(told.unhelpful(expected, size))
