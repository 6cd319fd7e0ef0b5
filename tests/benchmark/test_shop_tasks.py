"""Every task can be done in both conditions, and nothing else passes for having done it."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress

import pytest

from tasks_admin.benchmark.engine import web as engine_web
from tasks_admin.benchmark.engine.catalogue import DIFFICULTIES, LAYERS, PRIMITIVES, Task
from tasks_admin.benchmark.engine.scoring import score
from tasks_admin.benchmark.engine.tables import Tables
from tasks_admin.benchmark.shop.seed import initial
from tasks_admin.benchmark.shop.tasks import TASKS
from tests.benchmark.running import RunningServer
from tests.benchmark.solvers import SOLVERS, cheapest

CONDITIONS = [(task, variant) for task in TASKS for variant in (None, *task.variants)]
IDS = [f"{task.id}-{'intervention' if variant else 'clean'}" for task, variant in CONDITIONS]


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_web, "pause", lambda seconds: asyncio.sleep(0))


@pytest.mark.parametrize(("task", "variant"), CONDITIONS, ids=IDS)
@pytest.mark.parametrize("seed", [7, 140])
def test_a_careful_person_passes(server: RunningServer, task: Task, variant, seed: int) -> None:
    prepared = server.prepare(task.id, variant and variant.id, seed)
    SOLVERS[task.id](server.visit(prepared), Tables(server.session(prepared["id"]).initial).copy())
    verdict = server.evaluate(prepared["id"])
    assert verdict["passed"], verdict
    assert verdict["score"] == 1.0
    assert verdict["source"] == "server"


@pytest.mark.parametrize(("task", "variant"), CONDITIONS, ids=IDS)
def test_doing_nothing_does_not_pass(server: RunningServer, task: Task, variant) -> None:
    prepared = server.prepare(task.id, variant and variant.id)
    visitor = server.visit(prepared)
    for path in ("/cart", "/orders", "/help"):
        assert visitor.get(path).status == 200
    verdict = server.evaluate(prepared["id"])
    assert verdict["score"] == 0.0
    assert not verdict["passed"]


@pytest.mark.parametrize(("task", "variant"), CONDITIONS, ids=IDS)
def test_doing_more_than_asked_does_not_pass(server: RunningServer, task: Task, variant) -> None:
    prepared = server.prepare(task.id, variant and variant.id)
    visitor = server.visit(prepared)
    SOLVERS[task.id](visitor, Tables(server.session(prepared["id"]).initial).copy())
    visitor.post("/wishlist", sku=3)
    verdict = server.evaluate(prepared["id"])
    assert not verdict["passed"]
    assert 0.0 < verdict["score"] < 1.0


@pytest.mark.parametrize("task_id", ["fennel-lamp", "swap-lamp", "breakfast-again"])
def test_who_believes_the_first_saved_does_not_pass(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch, task_id: str
) -> None:
    monkeypatch.setattr("tests.benchmark.solvers.until_seen", lambda act, seen: act())
    variant = next(task for task in TASKS if task.id == task_id).variants[0]
    prepared = server.prepare(task_id, variant.id)
    with suppress(AssertionError):  # the shop gives a careless person nothing to check out
        SOLVERS[task_id](server.visit(prepared), Tables(server.session(prepared["id"]).initial).copy())
    assert not server.evaluate(prepared["id"])["passed"]


def test_a_forged_answer_changes_nothing(server: RunningServer) -> None:
    prepared = server.prepare("fennel-lamp", "fennel-lamp--lost-add")
    visitor = server.visit(prepared)
    before = server.session(prepared["id"]).tables.copy().rows
    said = visitor.post("/cart", accept="application/json", sku=1, qty=1).json
    assert said["ok"]
    assert said["count"] == 1
    assert server.session(prepared["id"]).tables.rows == before
    assert visitor.post("/cart", accept="application/json", sku=1, qty=1).json["count"] == 1


def test_503_goes_away_and_is_not_a_write(server: RunningServer) -> None:
    prepared = server.prepare("broken-tumblers", "broken-tumblers--overloaded")
    visitor = server.visit(prepared)
    found = [visitor.post("/returns").status for _ in range(3)]
    assert found == [503, 503, 404]


def test_saving_twice_while_it_is_slow_makes_two(server: RunningServer) -> None:
    prepared = server.prepare("workshop-address", "workshop-address--slow-save")
    visitor = server.visit(prepared)
    tables = Tables(server.session(prepared["id"]).initial)
    SOLVERS["workshop-address"](visitor, tables)
    SOLVERS["workshop-address"](visitor, tables)
    assert not server.evaluate(prepared["id"])["passed"]


def test_the_catalogue_covers_what_it_promises() -> None:
    assert set(SOLVERS) == {task.id for task in TASKS}
    difficulties = Counter(task.difficulty for task in TASKS)
    assert set(difficulties) == set(DIFFICULTIES)
    assert min(difficulties.values()) >= 2
    variants = [variant for task in TASKS for variant in task.variants]
    assert len(variants) == len(TASKS) == len({variant.id for variant in variants})
    assert {variant.layer for variant in variants} == set(LAYERS)
    assert {variant.primitive for variant in variants} == set(PRIMITIVES)
    assert {p for task in TASKS for p in task.primitives} <= set(PRIMITIVES)
    faults = {params["fault"] for v in variants for i in v.injections if i.layer == "network" for params in [i.params]}
    assert faults == {"ghost", "unavailable", "slow"}
    assert {key for v in variants for i in v.injections if i.layer == "client" for key in i.params} == {
        "swallow",
        "overlay",
    }


def test_same_seed_same_state_and_other_seeds_other_states() -> None:
    assert initial(5).rows == initial(5).rows
    assert len({str(initial(seed).rows["products"]) for seed in range(20)}) == 20


@pytest.mark.parametrize("seed", range(0, 400, 16))
def test_every_seed_keeps_what_the_tasks_rely_on(seed: int) -> None:
    tables = initial(seed)
    for task in TASKS:
        assert task.spec is not None
        spec = task.spec(tables)
        assert all(obligation.wanted for obligation in spec.obligations)
        result = score(spec, tables.rows, tables.copy().rows)
        assert (result.score, result.passed) == (0.0, False)
    chosen = [cheapest(tables, category, set()) for category in ("lighting", "kitchen", "garden")]
    prices = [tables.get("products", tables.get("skus", sku)["product"])["price"] for sku in chosen]
    assert sum(prices) <= 9000
    assert len(tables.all("products")) == 48  # the decoy of warm-blanket takes the next id
    assert 2 <= len(TASKS[7].spec(tables).obligations[0].wanted) < len(tables.all("wishlist"))
