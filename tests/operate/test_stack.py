"""Starting, watching and ending processes; the data folder's lock; ports."""

import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks_admin.operate import stack as stack_module
from tasks_admin.operate.stack import CannotServe, Stack, free_port, only_one, port_trouble, require_port, undisturbed

SLEEPS = [sys.executable, "-c", "import time; print('awake', flush=True); time.sleep(60)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('awake', flush=True); time.sleep(60)",
]
DIES = [sys.executable, "-c", "print('no coffee left'); raise SystemExit(3)"]


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    with Stack(tmp_path, "127.0.0.1", 8000, "http://localhost:8000", {"COLOUR": "green"}) as running:
        yield running


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def awake(stack: Stack, command: list[str]) -> stack_module.Child:
    child = stack.start("sleeper", command)
    stack._until(child, lambda: b"awake" in child.log.read_bytes())
    return child


def test_children_get_the_settings_and_a_log(stack: Stack, tmp_path: Path) -> None:
    child = stack.start("painter", [sys.executable, "-c", "import os; print(os.environ['COLOUR'])"])
    assert child.process.wait(20) == 0
    assert (tmp_path / "logs" / "painter.log").read_text() == "green\n"


def test_all_end_with_the_stack(stack: Stack) -> None:
    child = awake(stack, SLEEPS)
    stack.stop()
    assert child.process.returncode == -signal.SIGTERM
    assert stack.children == []


def test_one_that_will_not_end_is_ended(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stack_module, "STOP_SECONDS", 0.3)
    child = awake(stack, STUBBORN)
    stack.stop()
    assert child.process.returncode == -signal.SIGKILL


def test_one_that_dies_while_starting_is_quoted(stack: Stack) -> None:
    child = stack.start("barista", DIES)
    with pytest.raises(CannotServe, match="The barista process ended while starting. It said:\nno coffee left"):
        stack._until(child, lambda: False)


def test_one_that_never_answers(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stack_module, "START_SECONDS", 0.1)
    child = stack.start("sleeper", SLEEPS)
    with pytest.raises(CannotServe, match=r"did not answer within 0\.1 s"):
        stack._until(child, lambda: False)


def test_watching_returns_the_one_that_ended(stack: Stack) -> None:
    awake(stack, SLEEPS)
    child = stack.start("barista", DIES)
    assert stack.watch() is child


def test_a_second_ctrl_c_does_not_disturb_the_ending() -> None:
    with undisturbed():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)


def test_only_one_serves_a_data_folder(tmp_path: Path) -> None:
    with only_one(tmp_path, "http://localhost:8000") as was_killed:
        assert not was_killed
        with (
            pytest.raises(CannotServe, match="already runs on this data: http://localhost:8000"),
            only_one(tmp_path, ""),
        ):
            pass
    with only_one(tmp_path, "http://localhost:8001") as was_killed:
        assert not was_killed


def test_a_killed_one_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "up.lock").write_text(json.dumps({"url": "http://localhost:8000", "pid": 1}))
    with only_one(tmp_path, "http://localhost:8000") as was_killed:
        assert was_killed


def test_a_taken_port_is_refused_with_a_free_one_offered(taken: int) -> None:
    with pytest.raises(CannotServe, match=rf"Port {taken} on 127\.0\.0\.1 can't be used .*--port \d+"):
        require_port("127.0.0.1", taken)


def test_a_free_port_is_taken() -> None:
    require_port("127.0.0.1", free_port())


def test_the_sample_websites_keep_their_ports_unless_taken(stack: Stack, tmp_path: Path, taken: int) -> None:
    assert stack._benchmark_ports() == ["--port", "0"]
    kept = tmp_path / "benchmark" / "ports.json"
    kept.parent.mkdir()
    one, two = free_port(), free_port()
    kept.write_text(json.dumps({"control": f"http://127.0.0.1:{one}", "sites": {"shop": f"http://127.0.0.1:{two}"}}))
    assert stack._benchmark_ports() == ["--port", str(one), "--ports", f"shop={two}"]
    kept.write_text(json.dumps({"control": f"http://127.0.0.1:{taken}", "sites": {}}))
    assert stack._benchmark_ports() == ["--port", "0"]
    assert port_trouble("127.0.0.1", taken) == "Address already in use"


def test_the_server_puts_no_header_of_its_own_into_what_websites_answer() -> None:
    command = stack_module.web_command("127.0.0.1", 8000)
    assert {"--no-server-header", "--no-date-header"} <= set(command)
