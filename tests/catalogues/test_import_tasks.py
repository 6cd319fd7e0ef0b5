from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command

from annotate.actions import rounds
from annotate.models import Environment, Study, Task, TaskCondition, Variant
from recorder.environments.registry import get_adapter
from tests.cast import Cast
from tests.catalogues import writing

pytestmark = pytest.mark.django_db


def run(*arguments: object, **options: object) -> dict[str, Any]:
    """The command's JSON, by environment."""
    out = StringIO()
    call_command("import_tasks", *[str(one) for one in arguments], "--json", stdout=out, **options)
    return {one["environment"]: one for one in json.loads(out.getvalue())["environments"]}


def refused(*arguments: object) -> str:
    with pytest.raises(CommandError) as caught:
        run(*arguments)
    assert "Nothing was imported" in str(caught.value) or "\n" not in str(caught.value)
    return str(caught.value)


def test_our_own_shape(tmp_path: Path) -> None:
    told = run("own", writing.own(tmp_path))["teashop"]
    assert (told["made"], told["new"], told["same"]) == (True, ["buy-tea", "buy-mug"], 0)
    tea = Task.objects.get(slug="buy-tea")
    assert (tea.title, tea.difficulty, tea.expected_steps, tea.version) == ("Buy tea", "easy", 3, 1)
    assert tea.params == {"start_path": "/tea.html"}
    assert [(one.slug, one.primitive, one.layer) for one in tea.variants.all()] == [
        ("buy-tea--decoy", "grounding", "seed")
    ]
    environment = Environment.objects.get(slug="teashop")
    assert environment.options["folder"] == str(tmp_path / "site")
    assert get_adapter(environment.adapter, environment.options).probe().ok


def test_again_changes_nothing_and_what_changed_is_said(tmp_path: Path) -> None:
    file = writing.own(tmp_path)
    run("own", file)
    before = list(Task.objects.order_by("pk").values())
    assert run("own", file)["teashop"]["same"] == 2
    assert list(Task.objects.order_by("pk").values()) == before
    file.write_text(writing.OWN.replace("Buy green tea.", "Buy black tea.").replace("buy-mug", "buy-cup"))
    dry = run("own", file, "--dry-run")["teashop"]
    assert list(Task.objects.order_by("pk").values()) == before
    told = run("own", file)["teashop"]
    assert told == dry
    assert (told["new"], told["changed"], told["kept"], told["gone"]) == (["buy-cup"], ["buy-tea"], [], ["buy-mug"])
    assert Task.objects.get(slug="buy-tea").instruction == "Buy black tea."
    assert not Task.objects.get(slug="buy-mug").is_current
    file.write_text(writing.OWN)
    assert run("own", file)["teashop"]["new"] == ["buy-mug"], "what was gone comes back, as its next version"
    assert Task.objects.get(slug="buy-mug", is_current=True).version == 2


def test_a_task_that_was_recorded_keeps_its_version(cast: Cast, tmp_path: Path) -> None:
    text = """environment: toyshop
tasks:
  - {task: buy-tea, title: Buy tea, instruction: Buy BLACK tea., difficulty: easy, variants: [{variant: buy-tea-decoy}]}
"""
    file = tmp_path / "toy.yaml"
    round_ = rounds.open_round(cast.ann, cast.assignment(cast.ann))
    file.write_text(text)
    told = run("own", file)["toyshop"]
    assert (told["changed"], told["kept"]) == (["buy-tea"], ["buy-tea"])
    old, new = Task.objects.filter(slug="buy-tea").order_by("version")
    assert (old.instruction, old.is_current, new.instruction, new.version) == (
        "Buy green tea.",
        False,
        "Buy BLACK tea.",
        2,
    )
    round_.refresh_from_db()
    assert round_.assignment.task_condition.task == old
    assert cast.assignment(cast.bob).task_condition.task == old, "the other half of the pair stays comparable"
    assert run("own", file)["toyshop"]["same"] == 1


def test_a_variant_that_a_study_needs_is_not_taken_away(cast: Cast, tmp_path: Path) -> None:
    file = tmp_path / "toy.yaml"
    file.write_text("environment: toyshop\ntasks: [{task: buy-tea, title: T, instruction: I, difficulty: easy}]\n")
    assert run("own", file)["toyshop"]["kept"] == ["buy-tea"]
    assert TaskCondition.objects.filter(variant__slug="buy-tea-decoy").count() == 2


def test_the_seven_site_shape(tmp_path: Path) -> None:
    root = writing.seven_sites(tmp_path, per_cell=1)
    extra = writing.task_of("lms", "easy", 1)
    writing.write(root / "variants" / "another_name.yaml", writing.variant_of(extra, "second"))
    told = run("seven-sites", root, "--url", "http://127.0.0.1:8080")
    assert sorted(told) == sorted(writing.SITES)
    assert all(len(one["new"]) == 5 for one in told.values())
    environment = Environment.objects.get(slug="lms")
    assert (environment.adapter, environment.options["site"]) == ("http", "lms")
    task = Task.objects.get(slug="lms_easy_1")
    assert {one.slug: one.params["file"] for one in task.variants.all()} == {
        "lms_easy_1__decoy": "lms_easy_1__v1.yaml",
        "lms_easy_1__second": "another_name.yaml",
    }
    assert (task.shown_instruction, task.instruction) == ("", 'Send it to "{target.city}".')
    assert "CANARY" not in json.dumps(task.params), "the answer key stays with the benchmark"
    changed = writing.task_of("lms", "easy", 1)
    changed["canonical_diff"]["create"] = []
    writing.write(root / "tasks" / "lms" / "lms_easy_1.yaml", changed)
    again = run("seven-sites", root)
    assert again["lms"]["changed"] == ["lms_easy_1"], "another answer key is another task"
    assert again["amazon"]["same"] == 5


def test_the_component_shape(tmp_path: Path) -> None:
    writing.components(tmp_path, files=3, each=4)
    told = run("components", tmp_path, "--url", "http://127.0.0.1:3000")["components"]
    assert len(told["new"]) == 12
    task = Task.objects.get(slug="kind_1-antd-T01")
    assert (task.difficulty, task.primitives, task.params["tier"]) == ("medium", ["kind_1"], "L1")
    environment = Environment.objects.get(slug="components")
    assert environment.options["success"] == {"selector": "#cb-success-banner"}
    assert environment.options["page"] == "/task/{task}?mode=benchmark"


def test_miniwob_from_the_package() -> None:
    told = run("miniwob")["miniwob"]
    assert len(told["new"]) == 128
    assert run("miniwob")["miniwob"]["same"] == 128


def test_a_large_catalogue_in_few_statements(tmp_path: Path, django_assert_max_num_queries: Any) -> None:
    writing.components(tmp_path, files=10, each=60)
    with django_assert_max_num_queries(40):
        run("components", tmp_path, "--url", "http://127.0.0.1:3000")
    assert Task.objects.count() == 600
    with django_assert_max_num_queries(30):
        run("components", tmp_path)


BAD = {
    "a field that is missing": ("    difficulty: easy\n", "", "teashop.yaml:7: tasks.0.difficulty: Field required"),
    "a difficulty nobody knows": ("difficulty: hard", "difficulty: evil", "teashop.yaml:16: tasks.1.difficulty:"),
    "a name nobody knows": ("expected_steps", "expected_stepz", "teashop.yaml:11: tasks.0.expected_stepz: this name"),
    "a task twice": (
        "buy-mug",
        "buy-tea",
        "teashop.yaml:16: tasks.1: the task buy-tea is there already, at teashop.yaml:7",
    ),
    "a task in other capitals": (
        "buy-mug",
        "Buy-Tea",
        "Buy-Tea is there already, capitals and colons aside, at teashop.yaml:7",
    ),
    "a key twice": (
        "    title: Buy tea\n",
        "    title: a\n    title: b\n",
        "teashop.yaml:9: the key 'title' is there twice",
    ),
    "an object": ("Buy green tea.", "!!python/object/apply:os.system [ls]", "teashop.yaml:9: the tag !!python/object"),
    "a cycle": ("primitives: [planning]", "primitives: &p [*p]", "teashop.yaml:12: it contains itself"),
    "a bomb": (
        "primitives: [planning]",
        "params: {a: &a [1,1,1,1,1,1,1,1,1,1], b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a], "
        "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b], d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c], "
        "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d], f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e], g: [*f,*f,*f]}",
        "its aliases write out to more than",
    ),
    "an environment that is not there": (
        "  - {task: buy-mug",
        "  - {environment: mars, task: buy-mug",
        "tasks.1.environment",
    ),
    "a name that leads out": ("task: buy-mug", "task: ../buy-mug", "teashop.yaml:16: tasks.1.task:"),
    "a folder that leads out": ("folder: site", "folder: ../site", "options.folder: '../site' leads out"),
    "a folder that is not there": ("folder: site", "folder: sight", "environment.options.folder"),
    "an adapter nobody knows": (
        "adapter: static",
        "adapter: magic",
        "teashop.yaml:4: environment.adapter: There is no",
    ),
    "an option nobody knows": ("options: {", "options: {colour: red, ", "environment.options.colour: this name is not"),
    "a variant twice": (
        "description: Two green teas.}",
        "description: x}\n      - {variant: buy-tea--decoy}",
        "is there twice",
    ),
    "no YAML": ("environment:", "environment: [", "teashop.yaml:3: it is no YAML"),
    "another part": ("tasks:", "taskz:", "taskz: this name is not known here"),
}


@pytest.mark.parametrize(("before", "after", "said"), BAD.values(), ids=list(BAD))
def test_what_is_wrong_is_named_and_nothing_is_imported(tmp_path: Path, before: str, after: str, said: str) -> None:
    assert before in writing.OWN
    told = refused("own", writing.own(tmp_path, writing.OWN.replace(before, after)))
    assert said in told
    assert (Task.objects.count(), Environment.objects.count()) == (0, 0)


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    text = writing.OWN.replace("difficulty: easy", "difficulty: x").replace("Buy a mug, ", "'', ")
    told = refused("own", writing.own(tmp_path, text))
    assert told.count("\n  ") == 2


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda task, variant: variant.update(base_task_id="lms_easy_2"), "there is no task 'lms_easy_2'"),
        (lambda task, variant: task.update(env_id="gmail"), "it lies in lms/ but says it is of gmail"),
        (lambda task, variant: task.pop("title"), "tasks/lms/lms_easy_1.yaml:1: title: Field required"),
        (lambda task, variant: variant.pop("variant_id"), "variants/lms_easy_1__v1.yaml:1: variant_id: Field required"),
        (lambda task, variant: variant.update(injections=[{"params": {}}]), "injections.0.layer"),
        (lambda task, variant: task.update(task_id="../../etc"), "task_id"),
    ],
)
def test_the_seven_site_shape_is_checked(tmp_path: Path, change: Any, said: str) -> None:
    task = writing.task_of("lms", "easy", 1)
    variant = writing.variant_of(task)
    change(task, variant)
    writing.write(tmp_path / "tasks" / "lms" / "lms_easy_1.yaml", task)
    writing.write(tmp_path / "variants" / "lms_easy_1__v1.yaml", variant)
    assert said in refused("seven-sites", tmp_path, "--url", "http://127.0.0.1:8080")
    assert Task.objects.count() == 0


def test_a_variant_of_a_name_that_another_has(tmp_path: Path) -> None:
    root = writing.seven_sites(tmp_path, per_cell=1)
    double = yaml.safe_load((root / "variants" / "lms_easy_1__v1.yaml").read_text())
    writing.write(root / "variants" / "zz.yaml", double)
    assert "the variant lms_easy_1__decoy is there already, in variants/lms_easy_1__v1.yaml" in refused(
        "seven-sites", root, "--url", "http://127.0.0.1:1"
    )


def test_links_that_lead_out_are_refused(tmp_path: Path) -> None:
    root = writing.seven_sites(tmp_path / "in", per_cell=1)
    (tmp_path / "out.yaml").write_text("task_id: x")
    (root / "tasks" / "lms" / "out.yaml").symlink_to(tmp_path / "out.yaml")
    assert "a link that leads out" in refused("seven-sites", root, "--url", "http://127.0.0.1:1")


def test_without_an_address_the_environment_must_be_there(tmp_path: Path) -> None:
    writing.components(tmp_path, files=1, each=1)
    assert "there is no environment components yet" in refused("components", tmp_path)
    assert "needs a PATH" in refused("own")
    assert "can't be read" in refused("own", tmp_path / "nothing.yaml")
    assert "there is no such folder" in refused("seven-sites", tmp_path / "nothing")


def test_it_says_in_words_what_it_did(tmp_path: Path) -> None:
    out = StringIO()
    call_command("import_tasks", "own", str(writing.own(tmp_path)), "--dry-run", stdout=out)
    assert out.getvalue().splitlines() == [
        "teashop, made now: 2 tasks, 0 as they were",
        "  2 new: buy-tea, buy-mug",
        "Nothing was changed: this was a dry run.",
    ]
    assert (Study.objects.count(), Variant.objects.count()) == (0, 0)


def test_an_environment_of_another_adapter_is_not_taken_over(tmp_path: Path) -> None:
    run("own", writing.own(tmp_path))
    other = tmp_path / "other.yaml"
    other.write_text(
        "environment: {slug: teashop, adapter: manual, options: {base_url: 'http://127.0.0.1:3000'}}\n"
        "tasks:\n  - {task: a, title: A, instruction: Do it., difficulty: easy}\n"
    )
    said = refused("own", other)
    assert "other.yaml:1" in said
    assert "teashop is there already and reached by the adapter static; choose another slug" in said
    assert Environment.objects.get(slug="teashop").adapter == "static"
    assert Task.objects.filter(is_current=True).count() == 2


def test_changed_settings_are_said(tmp_path: Path) -> None:
    file = writing.own(tmp_path)
    assert run("own", file)["teashop"]["settings"] == []
    file.write_text(writing.OWN.replace("name: Tea shop", "name: Tea house"))
    assert run("own", file)["teashop"]["settings"] == ["name"]


@pytest.mark.parametrize("tasks", ["tasks: []\n", ""])
def test_a_catalogue_without_tasks_retires_nothing(tmp_path: Path, tasks: str) -> None:
    file = writing.own(tmp_path)
    run("own", file)
    file.write_text(writing.OWN[: writing.OWN.index("tasks:")] + tasks)
    assert "has no task for the environment teashop" in refused("own", file)
    assert Task.objects.filter(is_current=True).count() == 2


@pytest.mark.parametrize(
    "start", ["//evil.example/x", "http://evil.example/", "/../../etc/passwd", "/a/%2e%2e/b", "tea.html", 7]
)
def test_a_task_starts_on_its_own_website(tmp_path: Path, start: object) -> None:
    file = writing.own(tmp_path, writing.OWN.replace("start_path: /tea.html", f"start_path: {json.dumps(start)}"))
    assert "start_path must be a path on the website" in refused("own", file)
