from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from recorder.environments.base import Adapter, EnvironmentDown, SessionForgotten, TaskRef, UnknownTask
from recorder.environments.control import ControlAdapter, ControlClient
from recorder.environments.miniwob import MiniwobAdapter
from recorder.environments.sample import SampleAdapter
from tests.benchmark.running import TOKEN, RunningServer

KETTLE = TaskRef("shop", "kettle-to-cart", None, 7)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    running = RunningServer(Path(tmp_path_factory.mktemp("sessions")))
    yield running
    running.stop()


@pytest.fixture
def sample(server: RunningServer) -> SampleAdapter:
    return SampleAdapter(ControlClient(server.url, TOKEN))


def test_a_session_from_prepare_to_close(server: RunningServer, sample: SampleAdapter) -> None:
    session = sample.prepare(KETTLE)
    assert session.upstream == server.server.control.origins["shop"]
    assert session.start_path == f"/?session={session.id}"
    assert sample.instruction(session.id) == session.instruction
    again = sample.reset(session.id, KETTLE)
    assert again.id != session.id
    with pytest.raises(SessionForgotten):
        sample.evaluate(session.id)
    server.visit({"upstream": again.upstream, "start_path": again.start_path})
    assert [entry["path"] for entry in sample.backend_record(again.id)] == ["/"]
    verdict = sample.evaluate(again.id)
    assert (verdict.score, verdict.passed, verdict.source) == (0.0, False, "server")
    assert [check.kind for check in verdict.checks] == ["obligation", "invariant"]
    sample.close(again.id)
    sample.close(again.id)
    with pytest.raises(SessionForgotten) as caught:
        sample.instruction(again.id)
    assert (caught.value.code, caught.value.status) == ("session_forgotten", 410)


def test_miniwob_tells_its_instruction_once_the_page_runs(server: RunningServer) -> None:
    adapter = MiniwobAdapter(ControlClient(server.url, TOKEN))
    session = adapter.prepare(TaskRef("miniwob", "enter-text", None, 1))
    assert session.instruction is None
    visitor = server.visit({"upstream": session.upstream, "start_path": session.start_path})
    visitor.post_json("/miniwob-report", {"utterance": 'Enter "Ina" and press submit.'})
    assert adapter.instruction(session.id) == 'Enter "Ina" and press submit.'
    assert adapter.evaluate(session.id).source == "page"


@pytest.mark.parametrize("ref", [TaskRef("shop", "x", None, 1), TaskRef("shop", "kettle-to-cart", "x", 1)])
def test_unknown_task_or_variant(sample: SampleAdapter, ref: TaskRef) -> None:
    with pytest.raises(UnknownTask) as caught:
        sample.prepare(ref)
    assert caught.value.status == 404


def test_catalogue(sample: SampleAdapter) -> None:
    assert len(sample.tasks("shop")) == 12
    assert len(sample.tasks("miniwob")) == 128


def test_both_keep_the_protocol(sample: SampleAdapter) -> None:
    assert isinstance(sample, Adapter)
    assert isinstance(MiniwobAdapter(sample.client), Adapter)


def test_probe(server: RunningServer, sample: SampleAdapter) -> None:
    assert sample.probe().ok
    refused = SampleAdapter(ControlClient(server.url, "wrong")).probe()
    assert (refused.ok, refused.detail) == (False, "The environment refused our control token.")
    nobody = SampleAdapter(ControlClient("http://127.0.0.1:9", TOKEN, timeout=2)).probe()
    assert not nobody.ok
    assert "cannot be reached" in nobody.detail


@pytest.fixture
def answering() -> Iterator[Callable[..., ControlAdapter]]:
    """A server that answers everything with one reply, and counts how often it was asked."""
    servers = []

    def start(status: int, body: bytes, **headers: str) -> ControlAdapter:
        class Handler(BaseHTTPRequestHandler):
            asked = 0

            def answer(self) -> None:
                type(self).asked += 1
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, *args: object) -> None:
                pass

        httpd = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        servers.append((httpd, Handler))
        adapter = ControlAdapter(ControlClient(f"http://127.0.0.1:{httpd.server_port}", TOKEN, timeout=2))
        adapter.asked = lambda: Handler.asked
        return adapter

    yield start
    for httpd, _ in servers:
        httpd.shutdown()
        httpd.server_close()


@pytest.mark.parametrize(
    ("status", "body", "seen"),
    [
        (200, b"<html>  <h1>Welcome</h1></html>", "<html> <h1>Welcome</h1></html>"),
        (201, b'{"id": "shop.1"}', "{'id': 'shop.1'}"),
        (201, b"[1, 2]", "[1, 2]"),
        (201, b"", "None"),
        (500, b"Traceback", "Traceback"),
        (302, b"", "302"),
        (418, b'{"message": "a teapot"}', "a teapot"),
    ],
)
def test_what_is_not_understood_is_quoted_and_not_asked_twice(answering, status: int, body: bytes, seen: str) -> None:
    adapter = answering(status, body, Location="http://127.0.0.1:9/")
    with pytest.raises(EnvironmentDown) as caught:
        adapter.prepare(KETTLE)
    assert seen in caught.value.message
    assert caught.value.status == 503
    assert adapter.asked() == 1


def test_malformed_verdicts_and_records(answering) -> None:
    adapter = answering(200, b'{"score": "much"}')
    for ask in (adapter.evaluate, adapter.backend_record, adapter.instruction):
        with pytest.raises(EnvironmentDown, match="something else than"):
            ask("shop.1")
    assert not adapter.probe().ok


def test_an_id_without_a_site_is_no_session(answering) -> None:
    with pytest.raises(SessionForgotten):
        answering(200, b"{}").evaluate("nonsense")
