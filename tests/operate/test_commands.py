"""The commands from outside: what they refuse, each in one readable line, and that nothing stays behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from annotate.config import laptop
from tasks_admin.operate.stack import free_port

NOWHERE = "postgres://u:p@127.0.0.1:1/x"
WEB = [sys.executable, "-m", "uvicorn", "annotate.config.asgi:application", "--port", "0"]
WORKER = [sys.executable, "-m", "celery", "-A", "annotate.config.worker", "worker"]
MANAGE = [sys.executable, "manage.py"]


def environment(**settings: str) -> dict[str, str]:
    """The process's own without what a test run sets; empty settings keep `.env` out."""
    ours = {"DJANGO_SETTINGS_MODULE", "FOOTPATH_TESTING", "FOOTPATH_LAPTOP", "FOOTPATH_DATA", "DATABASE_URL"}
    bare = {name: value for name, value in os.environ.items() if name not in ours}
    return bare | dict.fromkeys(laptop.OPERATORS, "") | settings


def refused(command: list[str], **settings: str) -> str:
    """What the command says on standard error when it refuses: no traceback."""
    done = subprocess.run(
        command, cwd=laptop.ROOT, env=environment(**settings), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode not in (0, None)
    assert "Traceback" not in done.stderr + done.stdout
    return done.stderr


@pytest.mark.parametrize("command", [WEB, WORKER, [*MANAGE, "up"], [*MANAGE, "serve", "web"]])
def test_without_a_secret_nothing_serves(command: list[str]) -> None:
    said = refused(command, DATABASE_URL=NOWHERE)
    assert said.startswith("footpath: SECRET_KEY is not set. Put a long random one into")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"DATABASE_URL": NOWHERE}, "The database does not answer: .*Connection refused"),
        ({"DATABASE_URL": "mysql://u@h/x"}, "DATABASE_URL must read postgres://"),
        ({"DATABASE_URL": NOWHERE, "CHANNEL_LAYER_URL": "http://x"}, "CHANNEL_LAYER_URL must begin with redis://"),
        ({"DATABASE_URL": NOWHERE, "PUBLIC_URL": "footpath.test"}, "PUBLIC_URL must read https://host"),
    ],
)
def test_up_says_what_is_wrong(told: dict[str, str], said: str) -> None:
    assert re.search(said, refused([*MANAGE, "up"], SECRET_KEY="s" * 50, **told))


def test_an_unknown_command() -> None:
    assert "there is no command 'dance'" in refused([*MANAGE, "dance"])


def test_run_without_a_command_lists_the_usual_ones() -> None:
    done = subprocess.run([laptop.ROOT / "run"], cwd="/", capture_output=True, text=True, check=True)
    assert "./run up [--sample] [--port N]" in done.stdout


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder; whatever still works on it at the end is ended."""
    yield tmp_path / "da ta"
    for process in at_work(tmp_path):
        process.kill()


def at_work(folder: Path) -> list[psutil.Process]:
    """Processes that know of the folder, by their command line or their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            told = [*process.cmdline(), process.environ().get("FOOTPATH_DATA", "")]
            if process.pid != os.getpid() and any(str(folder) in word for word in told):
                found.append(process)
        except psutil.Error:
            continue
    return found


def start(data: Path, port: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [*MANAGE, "up", "--sample", "--port", str(port)],
        cwd=laptop.ROOT,
        env=environment(FOOTPATH_DATA=str(data), PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if line.startswith("Ctrl-C ends it"):
            assert said.count("/sample/") == 3
            return process
    raise AssertionError(said)


def all_end(data: Path, seconds: float = 30) -> bool:
    deadline = time.monotonic() + seconds
    while at_work(data) and time.monotonic() < deadline:
        time.sleep(0.2)
    return at_work(data) == []


@pytest.mark.slow
def test_up_leaves_nothing_behind_and_keeps_its_data(data: Path) -> None:
    port = free_port()
    up = start(data, port)
    second = refused([*MANAGE, "up", "--port", str(port)], FOOTPATH_DATA=str(data))
    assert f"already runs on this data: http://localhost:{port}" in second
    assert "can't be used" in refused([*MANAGE, "up", "--port", str(port)], FOOTPATH_DATA=str(data) + "-other")
    os.killpg(up.pid, signal.SIGINT)
    said, _ = up.communicate(timeout=40)
    assert f"Stopped. What was recorded is kept in {data}" in said
    assert up.returncode == 0
    assert all_end(data)
    up = start(data, port)
    up.kill()
    assert all_end(data)
