"""The processes of one running Footpath: the sample websites, the web server, the worker. Started, watched and ended together."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from recorder.errors import FootpathError

START_SECONDS = 60
STOP_SECONDS = 12
PR_SET_PDEATHSIG = 1
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class CannotServe(FootpathError):
    """Something keeps the server from starting; the message says what and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__("cannot_serve", 503, message)


def web_command(host: str, port: int) -> list[str]:
    """The command line of one web process."""
    command = [sys.executable, "-m", "uvicorn", "annotate.config.asgi:application", "--host", host, "--port", str(port)]
    command += ["--no-access-log", "--log-level", "warning", "--no-server-header", "--no-date-header"]
    return [*command, "--timeout-graceful-shutdown", "3", "--ws", "websockets-sansio", "--ws-ping-interval", "20"]


def worker_command(*, with_clock: bool) -> list[str]:
    """The command line of a worker; one process of an installation is or has the clock."""
    command = [sys.executable, "-m", "celery", "-A", "annotate.config.worker", "worker", "--loglevel", "INFO"]
    command += ["--without-gossip", "--without-mingle", "--pool", "threads"]
    return [*command, "--beat"] if with_clock else command


def clock_command() -> list[str]:
    """The command line of the clock alone, beside several workers."""
    return [
        sys.executable,
        "-m",
        "celery",
        "-A",
        "annotate.config.worker",
        "beat",
        "--loglevel",
        "WARNING",
        "--pidfile=",
    ]


def sites_command(data: Path, *ports: str) -> list[str]:
    """The command line of the sample websites."""
    return [sys.executable, "-m", "tasks_admin.benchmark.server", "--data", str(data / "benchmark"), *ports]


@dataclass
class Child:
    """A process we started, with the file its output goes to."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def tail(self, lines: int = 12) -> str:
        """The last lines it wrote."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


@dataclass
class Stack:
    """Starts the children in order and ends them in reverse. `url` is where people go."""

    data: Path
    host: str
    port: int
    public_url: str
    env: dict[str, str] = field(default_factory=dict)
    children: list[Child] = field(default_factory=list)

    def __enter__(self) -> Stack:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self, name: str, command: list[str]) -> Child:
        """Start one child in a session of its own, so that Ctrl-C reaches us and we end it in order."""
        folder = self.data / "logs"
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / f"{name}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(  # noqa: S603
                command,
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                env={**os.environ, **self.env},
                start_new_session=True,
                preexec_fn=die_with(os.getpid()),
            )
        child = Child(name, process, log)
        self.children.append(child)
        return child

    def start_benchmark(self) -> dict[str, Any]:
        """Start the sample websites; returns what they say of themselves: `control` and `sites`.

        They listen on the ports they had last time, so that a recording that was open over a restart goes on.
        """
        token = secrets.token_urlsafe(32)
        self.env |= {"BENCHMARK_TOKEN": token, "FOOTPATH_BENCHMARK_TOKEN": token}
        child = self.start("benchmark", sites_command(self.data, *self._benchmark_ports()))
        self._until(child, lambda: b"\n" in child.log.read_bytes())
        told: dict[str, Any] = next(
            json.loads(line) for line in child.log.read_text().splitlines() if line.startswith('{"control"')
        )
        self.env["BENCHMARK_URL"] = told["control"]
        (self.data / "benchmark" / "ports.json").write_text(json.dumps(told))
        return told

    def _benchmark_ports(self) -> list[str]:
        kept = self.data / "benchmark" / "ports.json"
        told = json.loads(kept.read_text()) if kept.exists() else None
        if told is None:
            return ["--port", "0"]
        ports = {
            name: int(url.rsplit(":", 1)[1]) for name, url in {"control": told["control"], **told["sites"]}.items()
        }
        if any(port_trouble("127.0.0.1", port) for port in ports.values()):
            return ["--port", "0"]  # somebody else has one of them now: rounds open on the old ones can't go on
        control = ports.pop("control")
        return ["--port", str(control), "--ports", ",".join(f"{name}={port}" for name, port in ports.items())]

    def start_worker(self) -> None:
        """Start the Celery worker with its clock."""
        child = self.start("worker", worker_command(with_clock=True))
        self._until(child, lambda: b" ready." in child.log.read_bytes())

    def start_web(self) -> None:
        """Start the web server and wait for its first answer."""
        child = self.start("web", web_command(self.host, self.port))
        self._until(child, lambda: _answers(f"http://{self.host}:{self.port}/health/", self.public_url))

    def _until(self, child: Child, ready: Callable[[], bool]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not ready():
            if child.process.poll() is not None:
                raise CannotServe(f"The {child.name} process ended while starting. It said:\n{child.tail()}")
            if time.monotonic() > deadline:
                raise CannotServe(f"The {child.name} process did not answer within {START_SECONDS} s:\n{child.tail()}")
            time.sleep(0.1)

    def watch(self) -> Child:
        """Block until one of the children ends by itself, and return it."""
        while True:
            for child in self.children:
                if child.process.poll() is not None:
                    return child
            time.sleep(0.3)

    def stop(self) -> None:
        """End every child: politely, then surely. A second Ctrl-C meanwhile changes nothing."""
        with undisturbed():
            self._stop()

    def _stop(self) -> None:
        for child in reversed(self.children):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.process.pid, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        for child in reversed(self.children):
            try:
                child.process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.process.pid, signal.SIGKILL)
                child.process.wait()
        self.children.clear()


def die_with(parent: int) -> Callable[[], None]:
    """What a child does before it runs: on Linux, have the kernel end it when its parent is killed outright."""

    def before() -> None:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:  # it died before we had asked
                os._exit(1)

    return before


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Put off the signals that end us."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _answers(url: str, public_url: str) -> bool:
    host = public_url.split("://", 1)[1]
    request = urllib.request.Request(url, headers={"Host": host})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=5) as reply:  # noqa: S310
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def free_port() -> int:
    """A port that is free on loopback now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def port_trouble(host: str, port: int) -> str:
    """Why the port can't be had; empty where it can."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            return error.strerror or str(error)
    return ""


def require_port(host: str, port: int, patience: float = 0) -> None:
    """Raises CannotServe where the port is taken, still after `patience` seconds, or not ours to take."""
    deadline = time.monotonic() + patience
    while trouble := port_trouble(host, port):
        if time.monotonic() > deadline:
            raise CannotServe(
                f"Port {port} on {host} can't be used ({trouble}). Choose another: ./run up --port {free_port()}"
            )
        time.sleep(0.2)


@contextlib.contextmanager
def only_one(data: Path, url: str) -> Iterator[bool]:
    """Hold the data folder's lock while serving; yields whether the one before was killed, so that its processes may still
    be on their way out. Raises CannotServe with the address of the one that holds it."""
    data.mkdir(parents=True, exist_ok=True)
    with (data / "up.lock").open("a+") as file:
        was_killed = _lock(file)
        _write(file, json.dumps({"url": url, "pid": os.getpid()}))
        yield was_killed
        # not in a `finally`: whatever ends us otherwise, the next one should look twice
        _write(file, "")


def _write(file: IO[str], text: str) -> None:
    file.truncate(0)
    file.write(text)
    file.flush()


def _lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.seek(0)
        first = json.loads(file.read() or "{}")
        raise CannotServe(
            f"Footpath already runs on this data: {first.get('url', 'somewhere')} (process {first.get('pid', '?')}). "
            "Stop that one first, or give this one a folder of its own: FOOTPATH_DATA=/path ./run up --port N"
        ) from error
    file.seek(0)
    return bool(file.read())
