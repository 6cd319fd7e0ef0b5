"""Every example of docs/environments.md, tried."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import Browser, Page, Playwright

from annotate.models import Task
from recorder import recordings
from recorder.browser import launch_options
from recorder.environments.base import Session, TaskRef
from recorder.environments.registry import get_adapter
from recorder.models import Recording
from tests.e2e.conftest import until
from tests.e2e.server import Live
from tests.recorder.conftest import live

__all__ = ["live"]
DOCS = Path(__file__).resolve().parents[2] / "docs" / "environments.md"
FOLDER, WEBSITE, API = re.findall(r"```yaml\n(.*?)```", DOCS.read_text(), re.DOTALL)
NOTES = b"<script>window.notes = []</script><button onclick=\"notes.push({text: 'hello'})\">Add</button>"


class Site(BaseHTTPRequestHandler):
    """The website and the API of the examples."""

    asked: list[tuple[str, str, object, str]] = []

    def answer(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"null")
        self.asked.append((self.command, self.path, body, self.headers.get("Authorization", "")))
        replies = {"/sessions": {"id": "s-1", "url": "/shop"}, "/sessions/s-1/score": {"score": 0.5, "passed": False}}
        api = replies.get(self.path) if self.command == "POST" else None
        content = json.dumps(api).encode() if api else NOTES
        self.send_response(200)
        self.send_header("Content-Type", "application/json" if api else "text/html")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = answer

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    Site.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def take_in(tmp_path: Path, transactional_db: None) -> Callable[[str], tuple[Task, TaskRef]]:
    def run(text: str) -> tuple[Task, TaskRef]:
        (tmp_path / "site").mkdir()
        (tmp_path / "site" / "index.html").write_text("<p id=done>Done</p>")
        (tmp_path / "it.yaml").write_text(text)
        call_command("import_tasks", "own", str(tmp_path / "it.yaml"), stdout=StringIO())
        task = Task.objects.select_related("environment").get()
        return task, TaskRef(task.environment.slug, task.slug, None, 7, task.params)

    return run


def prepared(task: Task, ref: TaskRef) -> Session:
    return get_adapter(task.environment.adapter, task.environment.options).prepare(ref)


@pytest.fixture(scope="module")
def chromium(driver: Playwright) -> Iterator[Browser]:
    browser = driver.chromium.launch(**launch_options())  # type: ignore[arg-type]
    yield browser
    browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    yield context.new_page()
    context.close()


def seen(recording: Recording) -> bool:
    return Recording.objects.get(pk=recording.pk).success_at is not None


def test_a_folder(take_in, live: Live, page: Page) -> None:
    recording = recordings.open_recording(session=prepared(*take_in(FOLDER)), adapter="static")
    page.goto(recordings.recording_url(recording))
    until(lambda: seen(recording))


def test_a_website(take_in, live: Live, page: Page, url: str) -> None:
    task, ref = take_in(WEBSITE.replace("http://127.0.0.1:3000", url))
    recording = recordings.open_recording(session=prepared(task, ref), adapter="dom")
    page.goto(recordings.recording_url(recording))
    assert page.url.endswith("/task/first-note")
    assert not seen(recording)
    page.click("button")
    until(lambda: seen(recording))
    assert get_adapter("dom", task.environment.options).evaluate(recording.session).passed


def test_a_website_with_a_control_api(take_in, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTPATH_SECRET_SHOP", "hush")
    task, ref = take_in(API.replace("http://127.0.0.1:8080", url))
    session = prepared(task, ref)
    assert (session.id, session.start_path, session.refuse) == (
        "s-1",
        "/shop?session=s-1",
        ("/sessions", "/sessions/*"),
    )
    verdict = get_adapter("http", task.environment.options).evaluate(session.id)
    assert (verdict.score, verdict.passed) == (0.5, False)
    assert Site.asked == [
        ("POST", "/sessions", {"task": "buy-cable", "seed": 7}, "Bearer hush"),
        ("POST", "/sessions/s-1/score", None, "Bearer hush"),
    ]


def test_the_conformance_example_is_right() -> None:
    example = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)[0]
    names: dict[str, object] = {"make": lambda options: get_adapter("dom", options)}
    exec(compile(example, "docs", "exec"), names)  # the example as it stands
    assert issubclass(names["TestMine"], names["Conformance"])  # type: ignore[arg-type]


def test_what_the_docs_name_is_there() -> None:
    text = DOCS.read_text()
    for name in re.findall(r"\| `([a-z]+)` \|", text):
        assert name in ("http", "dom", "static", "manual", "miniwob", "sample")
    from importlib import import_module  # noqa: PLC0415

    for name in ("recorder.environments.base", "recorder.environments.conformance", "tests.bench.catalogue"):
        assert name in text
        assert import_module(name)
