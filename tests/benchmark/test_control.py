from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tasks_admin.benchmark.server import parse_ports
from tests.benchmark.running import TOKEN, RunningServer, Visitor


def sessions(prepared: dict) -> str:
    return f"/control/shop/sessions/{prepared['id']}"


def test_without_the_token_nothing_is_said(server: RunningServer) -> None:
    assert server.control("GET", "/control/health", token="") == (
        401,
        {"code": "unauthorized", "message": "A bearer token is needed."},
    )
    assert server.control("GET", "/nowhere", token="other")[0] == 401


def test_health_and_catalogue(server: RunningServer) -> None:
    status, health = server.control("GET", "/control/health")
    assert (status, health["ok"]) == (200, True)
    assert set(health["sites"]) == {"shop", "miniwob"}
    task = server.control("GET", "/control/shop/tasks")[1][0]
    assert set(task) == {
        *("task", "title", "instruction", "difficulty", "expected_steps", "primitives", "environment", "variants")
    }
    assert set(task["variants"][0]) == {"variant", "primitive", "layer", "description"}


def test_prepare_says_where_the_session_lives(server: RunningServer) -> None:
    prepared = server.prepare("kettle-to-cart")
    assert prepared["id"].startswith("shop.")
    assert prepared["upstream"] == server.server.control.origins["shop"]
    assert prepared["start_path"] == f"/?session={prepared['id']}"
    assert "kettle" in prepared["instruction"]
    assert server.control("GET", sessions(prepared))[1] == prepared


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"task": "nope"}, 404, "unknown_task"),
        ({"task": "kettle-to-cart", "variant": "swap-lamp--lost-return"}, 404, "unknown_task"),
        ({"task": "kettle-to-cart", "seed": "7"}, 400, "bad_seed"),
        ({"task": "kettle-to-cart", "seed": -1}, 400, "bad_seed"),
        ({"task": "kettle-to-cart", "seed": True}, 400, "bad_seed"),
        ([], 400, "bad_json"),
    ],
)
def test_bad_requests_are_refused_with_the_reason(server: RunningServer, body, status: int, code: str) -> None:
    answer = server.control("POST", "/control/shop/sessions", body)
    assert (answer[0], answer[1]["code"]) == (status, code)


def test_reset_gives_a_new_id_and_the_same_state(server: RunningServer) -> None:
    old = server.prepare("fennel-lamp", "fennel-lamp--lost-add")
    visitor = server.visit(old)
    visitor.post("/cart", sku=2, qty=1)
    visitor.post("/cart", sku=2, qty=1)
    initial = server.session(old["id"]).initial
    status, new = server.control("POST", sessions(old) + "/reset")
    assert status == 201
    assert new["id"] != old["id"]
    fresh = server.session(new["id"])
    assert (fresh.initial, fresh.tables.rows, fresh.counters) == (initial, initial, {})
    assert server.control("GET", sessions(old))[1]["code"] == "session_forgotten"
    assert visitor.get("/cart").status == 410


def test_evaluate_is_final(server: RunningServer) -> None:
    prepared = server.prepare("kettle-to-cart")
    first = server.evaluate(prepared["id"])
    visitor = server.visit(prepared)
    kettle = next(s for s in server.session(prepared["id"]).tables.all("skus") if s["option"] == "Sage green")
    visitor.post("/cart", sku=kettle["id"], qty=1)
    assert server.evaluate(prepared["id"]) == first


def test_closed_sessions_are_forgotten(server: RunningServer) -> None:
    prepared = server.prepare("kettle-to-cart")
    assert server.control("DELETE", sessions(prepared))[0] == 204
    assert server.control("DELETE", sessions(prepared))[1]["code"] == "session_forgotten"
    assert server.control("GET", "/control/miniwob/sessions/" + server.prepare("kettle-to-cart")["id"])[0] == 404


def test_the_record_holds_every_request_of_the_session(server: RunningServer) -> None:
    prepared = server.prepare("fennel-lamp", "fennel-lamp--lost-add")
    visitor = server.visit(prepared)
    visitor.get("/search?q=lamp")
    visitor.post("/cart", accept="application/json", sku=2, qty=1)
    record = server.control("GET", sessions(prepared) + "/record")[1]
    assert [(e["method"], e["path"], e["status"]) for e in record] == [
        ("GET", "/", 200),
        ("GET", "/search", 200),
        ("POST", "/cart", 200),
    ]
    assert record[1]["query"] == {"q": "lamp"}
    assert record[2]["body"] == {"sku": "2", "qty": "1"}
    assert record[2]["fault"] == "ghost"
    assert prepared["id"] not in json.dumps(record)


def test_a_restart_forgets_nothing(server: RunningServer) -> None:
    prepared = server.prepare("broken-tumblers", "broken-tumblers--overloaded")
    visitor = server.visit(prepared)
    visitor.post("/cart", sku=2, qty=1)
    visitor.post("/returns")
    server.restart()
    again = Visitor(server.server.control.origins["shop"])
    again.get(prepared["start_path"])
    session = server.session(prepared["id"])
    assert [row["sku"] for row in session.tables.all("cart")] == [2]
    assert session.counters == {"network0": 1}
    record = server.control("GET", sessions(prepared) + "/record")[1]
    assert [entry["path"] for entry in record] == ["/", "/cart", "/cart", "/returns", "/"]


def test_no_control_api_on_the_sites_port(server: RunningServer) -> None:
    prepared = server.prepare("kettle-to-cart")
    visitor = server.visit(prepared)
    for path in ("/control/health", sessions(prepared), sessions(prepared) + "/evaluate"):
        assert visitor.get(path).status == 404


def test_ports() -> None:
    assert parse_ports("shop=1,miniwob=2") == {"shop": 1, "miniwob": 2}
    with pytest.raises(ValueError, match="no such site: bakery"):
        parse_ports("bakery=3")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_command_says_where_it_listens_and_ends_on_signal(tmp_path: Path, number: int) -> None:
    command = [sys.executable, "-m", "tasks_admin.benchmark.server", "--port", "0", "--data", str(tmp_path)]
    environment = {**os.environ, "FOOTPATH_BENCHMARK_TOKEN": TOKEN}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        try:
            ready = json.loads(process.stdout.readline())
            assert set(ready) == {"control", "sites"}
            request = urllib.request.Request(ready["control"] + "/control/health")
            request.add_header("Authorization", f"Bearer {TOKEN}")
            assert json.load(urllib.request.urlopen(request, timeout=5))["sites"] == ready["sites"]
        finally:
            process.send_signal(number)
        assert process.wait(10) == 0


def test_the_command_needs_a_token(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tasks_admin.benchmark.server", "--port", "0", "--data", str(tmp_path)]
    environment = {key: value for key, value in os.environ.items() if key != "FOOTPATH_BENCHMARK_TOKEN"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 2
    assert "FOOTPATH_BENCHMARK_TOKEN is not set" in done.stderr
