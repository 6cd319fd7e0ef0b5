from __future__ import annotations

from pathlib import Path

import pytest

from tasks_admin.benchmark.engine.catalogue import Injection
from tasks_admin.benchmark.engine.interventions import apply_seed, network_fault
from tasks_admin.benchmark.engine.sessions import Session, Store
from tasks_admin.benchmark.engine.tables import Tables, now_of
from tasks_admin.benchmark.sites import SITES, catalogue, find_variant
from tests.benchmark.running import RunningServer, Visitor


def session(*injections: Injection) -> Session:
    return Session("shop.x", "shop", "t", "v", 1, {}, Tables({}), injections)


def test_seed_adds_copies_and_changes_rows() -> None:
    tables = Tables({"things": [{"id": 3, "a": 1, "b": [1]}]})
    params = {
        "add": {"things": [{"like": {"a": 1}, "with": {"a": 2}}, {"with": {"a": 5}}]},
        "change": [{"table": "things", "where": {"a": 1}, "set": {"a": 9}}],
    }
    apply_seed(tables, (Injection("seed", params), Injection("network", {})))
    assert tables.rows["things"] == [{"id": 3, "a": 9, "b": [1]}, {"id": 4, "a": 2, "b": [1]}, {"id": 5, "a": 5}]
    assert tables.rows["things"][0]["b"] is not tables.rows["things"][1]["b"]
    with pytest.raises(LookupError, match="no row of things"):
        apply_seed(tables, (Injection("seed", {"change": [{"table": "things", "where": {"a": 7}, "set": {}}]}),))


def test_network_faults_match_method_and_path_and_stop_after_their_times() -> None:
    visit = session(Injection("network", {"match": "POST /cart/*", "fault": "ghost", "times": 2}))
    assert network_fault(visit, "GET", "/cart/1") is None
    assert network_fault(visit, "POST", "/orders") is None
    for _ in range(2):
        fault = network_fault(visit, "POST", "/cart/1")
        assert fault is not None
        visit.count(fault.key)
    assert network_fault(visit, "POST", "/cart/1") is None


def test_rules_are_of_the_server_layer_only() -> None:
    visit = session(Injection("server", {"rules": {"strict": 2}}), Injection("client", {"rules": {"other": 1}}))
    assert visit.rule("strict") == 2
    assert visit.rule("other") is None


def test_ids_are_never_given_twice() -> None:
    tables = Tables({"things": []})
    first = tables.insert("things")["id"]
    tables.delete("things", lambda row: True)
    assert tables.copy().insert("things")["id"] == first + 1


def test_now_is_the_seeds_and_never_today() -> None:
    assert now_of(4) == now_of(4) != now_of(5)
    assert {now_of(seed).year for seed in range(500)} == {2025}


def test_a_refused_write_does_not_use_up_the_ghost(server: RunningServer) -> None:
    prepared = server.prepare("fennel-lamp", "fennel-lamp--lost-add")
    visitor = server.visit(prepared)
    assert visitor.post("/cart", accept="application/json", sku=0, qty=1).status == 409
    assert server.session(prepared["id"]).counters == {}


def test_a_request_that_ends_after_the_session_does_not_revive_it(tmp_path: Path) -> None:
    store = Store(tmp_path, find_variant)
    visit = store.create("shop", "kettle-to-cart", None, 1, SITES["shop"].initial(1))
    store.forget(visit.id)
    store.save(visit)
    store.note(visit.id, {"t": 1})
    assert store.get(visit.id) is None
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_read_is_forgotten(tmp_path: Path) -> None:
    store = Store(tmp_path, find_variant)
    visit = store.create("shop", "kettle-to-cart", None, 1, SITES["shop"].initial(1))
    (tmp_path / f"{visit.id}.json").write_text('{"id":')
    assert Store(tmp_path, find_variant).get(visit.id) is None


def test_a_session_of_another_site_is_not_let_in(server: RunningServer) -> None:
    shop = server.prepare("kettle-to-cart")
    page = Visitor(server.server.control.origins["miniwob"]).get(f"/?session={shop['id']}")
    assert page.status == 410


def test_bodies_that_are_not_what_they_say_are_empty(server: RunningServer) -> None:
    visitor = server.visit(server.prepare("kettle-to-cart"))
    assert visitor.post_json("/addresses", [1]).status == 422
    assert visitor.post("/addresses", label="x" * 2_000_000).status == 413


def test_the_catalogue_needs_no_server(server: RunningServer) -> None:
    listed = [task for site in SITES for task in server.control("GET", f"/control/{site}/tasks")[1]]
    assert catalogue() == listed
    assert len(listed) == 12 + 128
