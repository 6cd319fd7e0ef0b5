"""The report of a study: made as a job, shown, taken away, traced to its rows; and as one file."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import polars as pl
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.models import Assignment, Attempt, AuditEntry, Environment, Person, Reference, Task, TaskCondition
from tasks_admin.comparison.figures import compute
from tasks_admin.models import ComparisonReport, Run, RunImport
from tasks_admin.report import build, job
from tasks_admin.report.charts import all_charts
from tasks_admin.report.people_sheets import FITTED
from tasks_admin.report.rows import ids_of
from tasks_admin.report.sheets import all_sheets
from tasks_admin.report.study_tables import tables_of
from tasks_admin.simulation.draw import Size, draw
from tasks_admin.simulation.truth import Truth
from tests.annotate.test_rounds import complete
from tests.cast import Cast

PAGE = "/studies/tea/comparison/"
HOSTILE = "<script>alert(1)</script>&model"


def client(who: Person) -> Client:
    signed_in = Client()
    signed_in.force_login(who)
    return signed_in


@pytest.fixture
def compared(cast: Cast) -> Cast:
    """Ann's and Bob's rounds are complete, and a model with a hostile name has run both task-conditions."""
    complete(cast, cast.ann)
    complete(cast, cast.bob)
    source = RunImport.objects.create(study=cast.study, format="table", name="runs.csv", taken=2)
    for condition in cast.study.task_conditions.all():
        Run.objects.create(
            study=cast.study, source=source, task_condition=condition, model=HOSTILE, harness="h", score=1.0, passed=True,
            verdict_source="environment", steps=4, step_unit="model_turns", elapsed_ms=9000, completed=True,
        )  # fmt: skip
    return cast


@pytest.fixture
def made(compared: Cast) -> ComparisonReport:
    report = job.ask_for(compared.study, compared.lead)
    compared.work.run()
    return ComparisonReport.objects.get(pk=report.pk)


def test_the_tables_are_what_counts_in_the_database(compared: Cast) -> None:
    tables = tables_of(compared.study)
    assert (tables.attempts.height, tables.runs.height) == (4, 2)
    assert tables.tasks.to_dicts() == [
        {
            "environment": "toyshop",
            "task": "buy-tea",
            "difficulty": "easy",
            "primitive": "grounding",
            "family": None,
            "in_panel": True,
        }
    ]


def test_a_task_with_a_newer_version_is_there_once_as_the_study_has_it(compared: Cast) -> None:
    task = Task.objects.get(slug="buy-tea")
    Task.objects.filter(pk=task.pk).update(is_current=False)
    newer = Task.objects.create(
        environment=task.environment, slug=task.slug, title="Buy tea", instruction="Buy.", difficulty="hard", version=2
    )
    rows = tables_of(compared.study).tasks.to_dicts()
    assert [(row["task"], row["difficulty"], row["in_panel"]) for row in rows] == [("buy-tea", "easy", True)]
    TaskCondition.objects.create(study=compared.study, task=newer, condition="clean")
    figures = compute(tables_of(compared.study))
    assert (figures["tasks"]["panel"], figures["agents"][HOSTILE]["clean"]["n"]) == (1, 1)


def test_one_name_of_a_task_in_two_environments_is_two_tasks(compared: Cast) -> None:
    bank = Environment.objects.create(slug="bank", name="Bank", adapter="static")
    task = Task.objects.create(environment=bank, slug="buy-tea", title="T", instruction="Buy.", difficulty="hard")
    other = TaskCondition.objects.create(study=compared.study, task=task, condition="clean")
    run = Run.objects.create(
        study=compared.study, source=RunImport.objects.get(), task_condition=other, model=HOSTILE, harness="h", score=0, passed=False,
        verdict_source="self",
    )  # fmt: skip
    tables = tables_of(compared.study)
    assert tables.tasks["task"].to_list() == ["bank/buy-tea", "toyshop/buy-tea"]
    assert compute(tables)["agents"][HOSTILE]["clean"]["n"] == 2
    asked = {"of": "runs", "condition": "clean", "task": "bank/buy-tea"}
    (shown,) = client(compared.lead).get(PAGE + "rows/", asked).context["page"].object_list
    assert [str(shown.pk)] == [str(run.pk)] == ids_of(asked, tables)


def test_h_is_that_of_the_chosen_reference(compared: Cast) -> None:
    assert tables_of(compared.study).attempts["reference"].to_list() == [False] * 4
    condition = compared.study.task_conditions.get(condition="clean")
    cold = Attempt.objects.get(round__assignment__task_condition=condition, kind="cold")
    Reference.objects.create(
        task_condition=condition, attempt=cold, policy="first", reason="it is the first", runners_up=[]
    )
    Attempt.objects.filter(pk=cold.pk).update(steps=3)
    figures = compute(tables_of(compared.study))
    assert figures["references"] == {"clean": 1, "intervention": 0}
    told = figures["efficiency"][HOSTILE]["clean"]
    assert (told["n_with_reference"], told["step_ratio"]["median"]) == (1, 4 / 3)


def test_it_is_made_once_by_the_worker_and_noted(compared: Cast) -> None:
    compared.work.run()
    page = client(compared.lead)
    assert "Nothing was compared yet" in page.get(PAGE).content.decode()
    for _ in range(2):  # a double click
        assert page.post(PAGE + "make/").status_code == 302
    (report,) = ComparisonReport.objects.all()
    assert compared.work.queue == [("tasks_admin.tasks.make_report", report.pk)]
    assert AuditEntry.objects.get().action == "make comparison"
    assert "The worker is making it" in page.get(PAGE).content.decode()
    assert page.get(PAGE + "status/").json()["open"] is True
    compared.work.run()
    job.make(report.pk)
    assert page.get(PAGE + "status/").json()["open"] is False
    assert "Made " in page.get(PAGE).content.decode()


def test_the_page_shows_tables_and_every_line_leads_to_its_rows(made: ComparisonReport, compared: Cast) -> None:
    page = client(compared.lead)
    text = page.get(PAGE).content.decode()
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&amp;model" in text
    links = sorted(set(re.findall(r'href="(/studies/tea/comparison/rows/\?[^"]+)"', text)))
    assert ">the data</a>, made of <a href=" in text
    assert len(links) > 8
    for link in links:
        rows = page.get(link.replace("&amp;", "&"))
        assert rows.status_code == 200
        assert rows.context["page"].paginator.count > 0 or "passed=false" in link


def test_a_line_that_compares_two_models_leads_to_the_runs_of_both(compared: Cast) -> None:
    runs = list(compared.study.runs.all())
    source, condition = runs[0].source, runs[0].task_condition
    for model in ("other", "third"):
        Run.objects.create(
            study=compared.study, source=source, task_condition=condition, model=model, score=0, passed=False, verdict_source="self"
        )  # fmt: skip
    asked = {"of": "runs", "condition": condition.condition, "model": HOSTILE, "or_model": "other", "paired": "model"}
    shown = client(compared.lead).get(PAGE + "rows/", asked).context["page"].object_list
    assert {run.model for run in shown} == {HOSTILE, "other"}
    assert len(ids_of(asked, tables_of(compared.study))) == 2
    lines = next(
        one for one in all_sheets(build.all_figures(tables_of(compared.study))) if one.name == "model_tests"
    ).made_of
    assert asked in lines or asked | {"model": "other", "or_model": HOSTILE} in lines


def test_why_a_line_is_refused_stands_once_below_its_table(compared: Cast) -> None:
    for run in list(Run.objects.all()):
        for model in ("one", "two"):
            run.pk, run.model, run.steps, run.step_unit = None, model, None, ""
            run.save()
    reason = "no task of the panel has a reference under this condition yet"
    job.ask_for(compared.study, compared.lead)
    compared.work.run()
    for text in (client(compared.lead).get(PAGE).content.decode(), build.as_html(compared.study)):
        table = text.split('id="efficiency"')[1].split("</section>")[0]
        assert (table.count(reason), reason in table.split("</table>")[0]) == (1, False)


def test_pairs_of_many_models_do_not_swell_the_page(compared: Cast) -> None:
    source, conditions = RunImport.objects.get(), list(compared.study.task_conditions.all())
    for number in range(29):
        told = {"score": number % 2, "passed": number % 2 == 1, "verdict_source": "self", "elapsed_ms": 1000 + number}
        for condition in conditions:
            Run.objects.create(
                study=compared.study, source=source, task_condition=condition, model=f"m{number}", **told
            )
    job.ask_for(compared.study, compared.lead)
    compared.work.run()
    page = client(compared.lead)
    shown = page.get(PAGE).content
    assert len(shown) < 300_000
    assert "The first 40 of 870 lines; the files above have all." in shown.decode()
    ps = [row["mcnemar"] for row in json.loads(page.get(PAGE + "tables/model_tests.json").content)["rows"]]
    known = [one for one in ps if one is not None]
    assert len(ps) == 870
    assert ps[: len(known)] == sorted(known)


def test_the_lines_of_a_models_harnesses_lead_to_their_own_runs(compared: Cast) -> None:
    run = Run.objects.earliest("pk")
    Run.objects.create(study=run.study, source=run.source, task_condition=run.task_condition, model=HOSTILE, harness="",
                       score=0, passed=False, verdict_source="self")  # fmt: skip
    for harness in ("h", "no harness"):
        asked = {"of": "runs", "condition": run.task_condition.condition, "model": f"{HOSTILE} ({harness})"}
        (shown,) = client(compared.lead).get(PAGE + "rows/", asked).context["page"].object_list
        assert (shown.harness or "no harness", [str(shown.pk)]) == (harness, ids_of(asked, tables_of(compared.study)))
    other = Run.objects.create(study=run.study, source=run.source, task_condition=run.task_condition, model=f"{HOSTILE} (h)",
                               harness="x", score=0, passed=False, verdict_source="self")  # fmt: skip
    tables = tables_of(compared.study)
    for harness, pks in (("h", {run.pk}), ("h) (x", {other.pk})):
        asked = {"of": "runs", "condition": run.task_condition.condition, "model": f"{HOSTILE} ({harness})"}
        shown = client(compared.lead).get(PAGE + "rows/", asked).context["page"].object_list
        assert {one.pk for one in shown} == pks
        assert ids_of(asked, tables) == [str(one) for one in pks]


def test_tables_and_plots_can_be_taken_away(made: ComparisonReport, compared: Cast) -> None:
    page = client(compared.lead)
    table = page.get(PAGE + "tables/people.csv")
    assert table["Content-Disposition"] == 'attachment; filename="tea-people.csv"'
    assert table.content.decode().splitlines()[1].startswith("clean,cold,1,1.0")
    assert json.loads(page.get(PAGE + "tables/agents.json").content)["rows"][0]["model"] == HOSTILE
    assert r"\toprule" in page.get(PAGE + "tables/agents.tex").content.decode()
    plot = page.get(PAGE + "plots/frontier.svg")
    assert plot["Content-Security-Policy"].startswith("default-src 'none'")
    assert "<script" not in plot.content.decode()
    assert page.get(PAGE + "plots/frontier.svg?as=data").content.decode().startswith("model,condition,pass_rate")
    for gone in ("tables/people.exe", "tables/nothing.csv", "plots/nothing.svg"):
        assert page.get(PAGE + gone).status_code == 404


def test_rows_refuse_what_they_do_not_know(compared: Cast) -> None:
    page = client(compared.lead)
    assert page.get(PAGE + "rows/?of=people").status_code == 400
    assert page.get(PAGE + "rows/?of=runs&password=x").status_code == 400
    assert page.get(PAGE + "rows/?of=attempts&round__participation__person__email=x").status_code == 400


def test_a_tasks_primitive_is_its_interventions_for_people_and_agents_in_both_conditions(compared: Cast) -> None:
    tables = tables_of(compared.study)
    figures, page = compute(tables), client(compared.lead)
    assert list(figures["human_by"]["primitive"]) == list(figures["agents_by"][HOSTILE]["primitive"]) == ["grounding"]
    for of, many in (("attempts", 4), ("runs", 2)):
        made_of = {"of": of, "primitive": "grounding"}
        shown = page.get(PAGE + "rows/", made_of).context["page"].object_list
        assert (len(shown), len(ids_of(made_of, tables))) == (many, many)
        assert not page.get(PAGE + "rows/", {"of": of, "primitive": "planning"}).context["page"].object_list


def test_the_pages_ask_no_more_for_more_rows(made: ComparisonReport, compared: Cast) -> None:
    page = client(compared.lead)

    def asked(address: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            page.get(address)
        return len(queries)

    addresses = (PAGE, PAGE + "rows/?of=runs", PAGE + "rows/?of=attempts")
    before = [asked(address) for address in addresses]
    for run in list(Run.objects.all()):
        for name in ("more", "and more"):
            Run.objects.create(
                study=run.study, source=run.source, task_condition=run.task_condition, model=name, score=0.5, passed=False,
                verdict_source="judge",
            )  # fmt: skip
    assert [asked(address) for address in addresses] == before


def test_data_that_no_figure_may_be_made_of_is_told(compared: Cast) -> None:
    run = Run.objects.first()
    assert run is not None
    Run.objects.filter(pk=run.pk).update(elapsed_ms=float("inf"))
    job.ask_for(compared.study, compared.lead)
    compared.work.run()
    text = client(compared.lead).get(PAGE).content.decode()
    assert "It could not be made" in text
    assert "elapsed_ms is not a finite number" in text


def test_a_fault_of_ours_leaves_no_report_waiting(compared: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "tables_of", lambda study: 1 / 0)
    report = job.ask_for(compared.study, compared.lead)
    with pytest.raises(ZeroDivisionError):
        job.make(report.pk)
    assert "should not" in client(compared.lead).get(PAGE).content.decode()


def test_one_file_without_a_network(compared: Cast, tmp_path: Path) -> None:
    call_command("compare", "tea", "--html", str(tmp_path / "r.html"), stderr=StringIO())
    text = (tmp_path / "r.html").read_text()
    assert "<script" not in text
    assert not re.findall(r'(?:src|href)="(?!data:|#)', text)
    assert "http" not in re.sub(r"http://www\.w3\.org/\S+", "", text.split("base64,")[0])
    assert "n = 1: show" in text
    assert "P1-toyshop-buy-tea-clean-r1-warm" in text


def test_the_command_prints_every_figure(compared: Cast) -> None:
    out = StringIO()
    call_command("compare", "tea", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert told["agents"][HOSTILE]["clean"]["n"] == 1
    assert "people where 3 are needed" in told["mixed_model"]["passed"]["refused"]
    with pytest.raises(CommandError, match="no study"):
        call_command("compare", "nope")


def test_every_table_and_plot_of_a_whole_study() -> None:
    from_truth = draw(Truth(), Size(2, 2, 3, 2), 4).tables
    figures = build.all_figures(from_truth)
    sheets = {one.name: one for one in build.all_sheets(figures)}
    assert {
        "people",
        "changes",
        "agents",
        "efficiency",
        "by_primitive",
        "tests",
        "mixed_model",
        "duplicates",
        "annotators",
    } <= set(sheets)
    for one in sheets.values():
        for line in build.shown(one, from_truth)["lines"]:
            assert all(shown for shown, _ in line["cells"])
    counts = {row["model"]: row["n"] for row in sheets["agents"].rows if row["condition"] == "clean"}
    for row, made_of in zip(sheets["mixed_model"].rows, sheets["mixed_model"].made_of, strict=True):
        assert len(ids_of(made_of, from_truth)) == row["n"] > 0
    assert [row["reading"].split(" ", 2)[0] for row in sheets["mixed_model"].rows] == ["Under", "On"] * 3
    assert [(row["outcome"], row["effect"]) for row in sheets["mixed_model"].rows] == [
        (outcome, effect)
        for outcome in ("passed", "log time", "log steps")
        for effect in ("intervention against clean", "warm against cold")
    ]
    (line,) = (one for one in build.shown(sheets["agents"], from_truth)["lines"][:1])
    assert len(line["ids"]) == counts["agent-a"]
    names = {one.name for one in build.all_charts(figures, from_truth)}
    assert names == {"drop_by_primitive", "step_ratios", "time_ratios", "within_curves", "frontier", "tax_against_drop",
                     "duplicate_scatter", "per_person", "cells"}  # fmt: skip


def test_the_table_of_agents_says_who_judged_and_the_plot_of_times_what_they_are() -> None:
    tables = draw(Truth(), Size(2, 2, 3, 2), 4).tables
    runs = tables.runs.with_columns(
        verdict_source=pl.when(pl.col("model") == "agent-a").then(pl.lit("self")).otherwise(pl.lit("judge")),
        time_unit=pl.when(pl.col("model") == "agent-a").then(pl.lit("wall")).otherwise(pl.lit("sum_of_steps")),
    )
    mixed = replace(tables, runs=runs)
    figures = build.all_figures(mixed)
    (told,) = [sheet for sheet in all_sheets(figures) if sheet.name == "agents"]
    assert {row["model"]: row["verdict_sources"] for row in told.rows} == {
        "agent-a": "the agent itself", "agent-b": "a judge",
    }  # fmt: skip
    plots = {one.name: one for one in build.all_charts(figures, mixed)}
    words = {name: one.words for name, one in plots.items()}
    assert set(plots["frontier"].data["frontier"]) <= {"yes", "no"}
    for name in ("step_ratios", "within_curves"):
        assert "“turns”: steps are model turns" in words[name]
        assert set(plots[name].data["model"]) == {"agent-a", "agent-b, turns"}
    notes = {
        row["model"]: row["note"] for sheet in all_sheets(figures) if sheet.name == "efficiency" for row in sheet.rows
    }
    assert "steps are model turns" in notes["agent-b"]
    assert "turns" not in (notes["agent-a"] or "")
    assert "The runs' times are of different kinds (sum of steps, wall) and do not compare." in words["time_ratios"]
    assert "kinds" not in words["step_ratios"]
    assert "kinds" not in {one.name: one.words for one in build.all_charts(figures, tables)}["time_ratios"]


def test_a_paired_line_leads_to_the_rows_of_its_pairs_alone() -> None:
    tables = draw(Truth(), Size(2, 2, 3, 2), 4).tables
    gone = (pl.col("model") == "agent-a") & (pl.col("condition") == "clean") & pl.col("task").str.ends_with("1")
    left = pl.col("attempt") == "cold"
    fewer = replace(
        tables,
        runs=tables.runs.filter(~gone),
        attempts=tables.attempts.filter(~(left & (pl.col("condition") == "clean") & pl.col("task").str.ends_with("1"))),
    )
    sheets = {one.name: one for one in all_sheets(compute(fewer))}
    for name in ("tests", "model_tests", "changes"):
        for row, made_of in zip(sheets[name].rows, sheets[name].made_of, strict=True):
            assert len(ids_of(made_of, fewer)) == 2 * row["n"] > 0
    alone = pl.col("role").eq("primary") & pl.col("task").is_in(["site-1-easy-1", "site-1-hard-1"])
    audited = replace(tables, attempts=tables.attempts.filter(~alone))
    sheets = {one.name: one for one in all_sheets(compute(audited))}
    for row, made_of in zip(sheets["duplicates"].rows, sheets["duplicates"].made_of, strict=True):
        assert len(ids_of(made_of, audited)) == 2 * row["pairs"] == 2 * row["duplicates"] - 4 > 0
    for row, made_of in zip(sheets["between_people"].rows, sheets["between_people"].made_of, strict=True):
        assert len(ids_of(made_of, audited)) == row["n"] > 0


def test_a_paired_line_leads_to_the_same_rows_on_the_page(compared: Cast) -> None:
    tables = tables_of(compared.study)
    figures = compute(tables)
    lines = [made_of for one in all_sheets(figures) for made_of in one.made_of if made_of and "paired" in made_of]
    assert lines
    for made_of in [*lines, *(made_of for plot in all_charts(figures, tables) for made_of in plot.made_of)]:
        shown = client(compared.lead).get(PAGE + "rows/", made_of).context["page"].object_list
        assert len(ids_of(made_of, tables)) == len(shown) > 0
    page = client(compared.lead)
    assert page.get(PAGE + "rows/", {"paired": "hair"}).status_code == 400
    for by in ("role", "person"):  # there is no duplicate
        asked = {"of": "attempts", "paired": by}
        assert not page.get(PAGE + "rows/", asked).context["page"].object_list
    Assignment.objects.filter(participation__person=compared.bob).update(
        role="duplicate", task_condition=compared.study.task_conditions.get(condition="clean")
    )
    for asked in ({"paired": "role"}, {"paired": "person", "person": "P1"}):
        shown = page.get(PAGE + "rows/", asked | {"of": "attempts"}).context["page"].object_list
        ids = ids_of(asked | {"of": "attempts"}, tables_of(compared.study))
        assert len(shown) == len(ids) == (4 if "person" not in asked else 2)


def test_the_rows_of_a_mixed_model_are_there_on_the_page(compared: Cast) -> None:
    tables = tables_of(compared.study)
    for made_of in FITTED.values():
        shown = client(compared.lead).get(PAGE + "rows/", made_of).context["page"].object_list
        assert len(ids_of(made_of, tables)) == len(shown) > 0
    assert client(compared.lead).get(PAGE + "rows/", {"has": "hair"}).status_code == 400


def test_a_family_of_tasks_has_its_table_and_leads_to_its_rows(compared: Cast) -> None:
    for task in Task.objects.filter(conditions__study=compared.study):
        Task.objects.filter(pk=task.pk).update(params=task.params | {"family": "orders"})
    tables = tables_of(compared.study)
    (told,) = [sheet for sheet in all_sheets(compute(tables)) if sheet.name == "by_family"]
    assert {row["value"] for row in told.rows} == {"orders"}
    for made_of in told.made_of:
        shown = client(compared.lead).get(PAGE + "rows/", made_of).context["page"].object_list
        ids = ids_of(made_of, tables)
        assert len(ids) == len(shown) > 0
