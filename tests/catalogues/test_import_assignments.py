from __future__ import annotations

import copy
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotate import designs
from annotate.models import Assignment, Environment, Participation, Person, Study, TaskCondition
from tasks_admin.studies import readiness
from tests.catalogues import writing

pytestmark = pytest.mark.django_db


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    root = writing.seven_sites(tmp_path / "benchmark", per_cell=4)
    call_command("import_tasks", "seven-sites", str(root), "--url", "http://127.0.0.1:8080", stdout=StringIO())
    return root


def run(folder: Path, plan: dict[str, Any], *arguments: str) -> dict[str, Any]:
    file = folder / "plan.yaml"
    writing.write(file, plan)
    out = StringIO()
    call_command("import_assignments", str(file), "--study", "human", "--json", *arguments, stdout=out)
    return dict(json.loads(out.getvalue()))


def refused(folder: Path, plan: dict[str, Any], *arguments: str) -> str:
    with pytest.raises(CommandError) as caught:
        run(folder, plan, *arguments)
    assert not Study.objects.filter(slug="human").exists()
    return str(caught.value)


def test_a_whole_plan(catalogue: Path, tmp_path: Path) -> None:
    told = run(tmp_path, writing.plan())
    assert (told["new"], told["made"], told["deviations"], told["titles"]) == (315, True, [], [])
    study = Study.objects.get(slug="human")
    assert (study.seed, study.state) == (42, "draft")
    assert TaskCondition.objects.filter(study=study).count() == 280
    loads = {one.code: (one.tier, one.assignments.count()) for one in study.participations.all()}
    assert {loads[code] for code in ("P1", "P2", "P3", "P4")} == {("primary", 70)}
    assert sum(count for tier, count in loads.values() if tier == "duplicate") == 35
    first = Assignment.objects.get(participation__code="P1", position=1)
    assert first.role == "primary"
    assert not Participation.objects.exclude(person=None).exists()


def test_its_study_is_one_that_the_editor_knows(catalogue: Path, tmp_path: Path) -> None:
    run(tmp_path, writing.plan())
    study = Study.objects.get(slug="human")
    kept, read = designs.kept_of(study), designs.design_of(study)
    assert (len(kept.environments), kept.conditions) == (7, ("clean", "intervention"))
    assert (len(read.design.tasks), len(read.design.people)) == (140, 8)
    assert read.tasks == designs.running_design_of(study).tasks
    assert readiness.in_the_way(study)[0].words == "The consent text is missing."
    assert any("imported from a ready-made plan" in check.words for check in readiness.checks(study))


def test_again_changes_nothing(catalogue: Path, tmp_path: Path) -> None:
    run(tmp_path, writing.plan())
    before = list(Assignment.objects.order_by("pk").values())
    told = run(tmp_path, writing.plan())
    assert (told["new"], told["same"], told["others"]) == (0, 315, [])
    assert list(Assignment.objects.order_by("pk").values()) == before


def test_people_are_invited_and_known_by_code(catalogue: Path, tmp_path: Path) -> None:
    (tmp_path / "people.yaml").write_text("Ada: ada@example.org\nEve: {email: eve@example.org, code: D9}\n")
    told = run(tmp_path, writing.plan(), "--people", str(tmp_path / "people.yaml"))
    assert (told["codes"]["Ada"], told["codes"]["Eve"], told["codes"]["Fay"]) == ("P1", "D9", "D1")
    links = {one["email"]: one["link"] for one in told["invited"]}
    assert links.keys() == {"ada@example.org", "eve@example.org"}
    assert all("/invitation/" in link or "/invit" in link for link in links.values())
    assert Participation.objects.get(code="P1").person == Person.objects.get(email="ada@example.org")


def test_exclusions_and_capacity_come_along(catalogue: Path, tmp_path: Path) -> None:
    plan = writing.plan()
    plan["annotators"]["Ada"]["designer_exclusions"] = ["gmail"]
    told = run(tmp_path, plan)
    person = Participation.objects.get(code="P1")
    assert (person.exclusions, person.capacity) == (["gmail"], 70)
    assert any(sentence.startswith("Ada designed gmail, and has primary::gmail_") for sentence in told["deviations"])


def change(plan: dict[str, Any], place: int, **fields: Any) -> dict[str, Any]:
    changed = copy.deepcopy(plan)
    changed["condition_assignments"][place] |= fields
    return changed


DEVIATIONS = {
    "one person for both": (
        lambda p: change(p, 1, annotator=p["condition_assignments"][0]["annotator"]),
        "by one person",
    ),
    "a wrong count": (lambda p: p["annotators"]["Ada"].update(num_task_conditions=3) or p, "Ada should have 3"),
    "wrong attempts": (lambda p: p["annotators"]["Ada"].update(num_attempts=3) or p, "Ada should have 3 attempts"),
    "a portfolio": (lambda p: p["annotators"]["Ada"].update(portfolio=["lms"]) or p, "not in the portfolio of Ada"),
    "half a task": (lambda p: p["condition_assignments"].pop(0) and p, "is planned as intervention only"),
    "no duplicate": (lambda p: p["duplicate_condition_assignments"].pop(0) and p, "0 duplicated task-conditions"),
    "a duplicate of nothing": (lambda p: p["condition_assignments"].pop(0) and p, "duplicates what nobody does first"),
    "another first person": (
        lambda p: p["duplicate_condition_assignments"][0].update(original_primary_annotator="Fay") or p,
        "names Fay as the first person",
    ),
    "a duplicate by a first person": (
        lambda p: p["duplicate_condition_assignments"][0].update(annotator="Dan") or p,
        "is no duplicate person",
    ),
    "unequal loads": (
        lambda p: [one.update(annotator="Ada") for one in p["condition_assignments"][:40:2]] and p,
        "The loads of primary people are not equal",
    ),
}


@pytest.mark.parametrize(("spoil", "said"), DEVIATIONS.values(), ids=list(DEVIATIONS))
def test_deviations_are_listed_and_refused_only_when_asked(
    catalogue: Path, tmp_path: Path, spoil: Any, said: str
) -> None:
    plan = spoil(writing.plan())
    assert said in refused(tmp_path, plan, "--strict")
    assert any(said in sentence for sentence in run(tmp_path, plan)["deviations"])


def test_titles_that_differ_are_reported(catalogue: Path, tmp_path: Path) -> None:
    told = run(tmp_path, change(writing.plan(), 0, title="Another title", diff="hard"))
    assert told["titles"] == [
        "amazon_easy_1: the plan says 'Another title', the catalogue 'Title of amazon_easy_1'",
        "amazon_easy_1: the plan says hard, the catalogue easy",
    ]


INTERVENTION = {"id": "amazon_easy_2__decoy", "yaml": "variants/amazon_easy_2__v1.yaml"}
BAD = {
    "an environment that is not there": ({"env": "mars"}, "condition_assignments.1.env: no environment 'mars'"),
    "a task that is not there": ({"base": "amazon_easy_9"}, "has no task 'amazon_easy_9' in amazon"),
    "a variant of another task": ({"variant": INTERVENTION}, "it is a variant of amazon_easy_2, not of amazon_easy_1"),
    "a variant that is not there": ({"variant": {"id": "x", "yaml": "variants/x.yaml"}}, "there is no variant 'x'"),
    "another file": (
        {"variant": {"id": "amazon_easy_1__decoy", "yaml": "variants/y.yaml"}},
        "the variant's file is amazon_easy_1__v1.yaml, not y.yaml",
    ),
    "a file that leads out": (
        {"variant": {"id": "amazon_easy_1__decoy", "yaml": "../../etc/passwd"}},
        "condition_assignments.1.variant.yaml: '../../etc/passwd' leads out",
    ),
    "an absolute file": ({"yaml": "/etc/passwd"}, "leads out of the benchmark's folder"),
    "nobody": ({"annotator": "Zoe"}, "'Zoe' is not among the annotators"),
    "an intervention without a variant": ({"variant": None}, "intervention needs a variant"),
    "a condition nobody knows": ({"cond": "dirty"}, "condition_assignments.1.cond"),
    "an id twice": ({"aid": "primary::amazon_easy_1::clean"}, "is there already, in line"),
    "a task-condition twice": (
        {"base": "amazon_easy_2", "variant": INTERVENTION},
        "has this task-condition first already",
    ),
}


@pytest.mark.parametrize(("fields", "said"), BAD.values(), ids=list(BAD))
def test_what_can_not_be_is_named_and_nothing_is_imported(
    catalogue: Path, tmp_path: Path, fields: dict[str, Any], said: str
) -> None:
    told = refused(tmp_path, change(writing.plan(), 1, **fields))
    assert said in told
    assert "plan.yaml:" in told


def test_a_running_study_takes_no_plan(catalogue: Path, tmp_path: Path) -> None:
    run(tmp_path, writing.plan(), "--freeze")
    assert Study.objects.get(slug="human").state == "frozen"
    with pytest.raises(CommandError, match="only a draft takes a plan"):
        run(tmp_path, writing.plan())


def test_a_dry_run_changes_nothing(catalogue: Path, tmp_path: Path) -> None:
    assert run(tmp_path, writing.plan(), "--dry-run")["new"] == 315
    assert not Study.objects.exists()
    assert Environment.objects.count() == 7


def test_it_says_in_words_who_is_to_be_invited(catalogue: Path, tmp_path: Path) -> None:
    writing.write(tmp_path / "plan.yaml", writing.plan())
    out = StringIO()
    call_command("import_assignments", str(tmp_path / "plan.yaml"), "--study", "human", stdout=out)
    assert out.getvalue().startswith("human, made as a draft: 315 assignments new, 0 there already\n")
    assert "P1   Ada: invite: ./run invite EMAIL --study human --code P1" in out.getvalue()
