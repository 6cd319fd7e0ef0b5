"""dom, static and manual in a real Chromium: success is seen in the page, and only once the gesture is over and recorded."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from playwright.sync_api import Page

from recorder import recordings
from recorder.environments import page as pages
from recorder.environments.base import EnvironmentDown, SessionForgotten, TaskRef, UnknownTask
from recorder.environments.conformance import Case, Conformance
from recorder.environments.options import BadOptions
from recorder.environments.predicate import refuse_broken
from recorder.models import Recording
from recorder.proof import Proof
from recorder.replay.player import Settings
from recorder.replay.run import replay_task
from recorder.replay.source import source_of
from recorder.trace import build_trace
from tests.e2e.conftest import until
from tests.e2e.server import Live
from tests.environments.conftest import Asking, record

TASK = TaskRef("teashop", "buy", None, 7)
BANNER = "<div id=done hidden>Done</div><script>const done = () => { document.getElementById('done').hidden = false }</script>"
HEAD = "<!doctype html><html><head><meta charset=utf-8><title>Tea</title></head><body>"
KINDS = {
    "press.html": f"{HEAD}{BANNER}<button id=go onpointerdown=done()>Go</button>",
    "click.html": f"{HEAD}{BANNER}<button id=go onclick=done()>Go</button>",
    "slider.html": f"{HEAD}{BANNER}<input id=s type=range min=0 max=100 value=0 style='width:300px' "
    "oninput='if (+value > 60) done()'>",
    "drop.html": f"{HEAD}{BANNER}<div id=a draggable=true style='width:80px;height:40px;background:#acf'>drag</div>"
    "<div id=b style='margin-top:60px;width:200px;height:80px;background:#fca' ondragover='event.preventDefault()' "
    "ondrop='a.remove(); done()'>here</div>",
    "leave.html": f"{HEAD}{BANNER}<button id=go onclick=\"done(); location.href = 'away.html'\">Go</button>",
    "away.html": f"{HEAD}<p id=away>Away</p>",
    "flicker.html": f'{HEAD}{BANNER}<button id=go onclick="done(); '
    "setTimeout(() => { document.getElementById('done').hidden = true }, 700)\">Go</button>",
    "state.html": f"{HEAD}<script>window.cart = {{ paid: false }}</script><button id=go onclick='cart.paid = true'>Go</button>",
    "strict.html": "<!doctype html><html><head><meta charset=utf-8>"
    "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; script-src 'sha256-{hash}'\"></head>"
    "<body><div id=done>Done</div><button id=go>Go</button>",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "site"
    (root / "below").mkdir(parents=True)
    for name, text in KINDS.items():
        (root / name).write_text(text)
    (root / "index.html").write_text(KINDS["click.html"])
    (root / "below" / "index.html").write_text("<p>below</p>")
    (root / "naïve café.txt").write_text("tea")
    (root / ".hidden").write_text("CANARY-HIDDEN")
    (tmp_path / "secret.txt").write_text("CANARY-OUTSIDE")
    (root / "way-out").symlink_to(tmp_path)
    return root


@pytest.fixture
def begin(live: Live, folder: Path, page: Page) -> Callable[..., Recording]:
    """Open a page of the folder in Chromium, watched for success."""

    def start(name: str, **success: Any) -> Recording:
        sought = success or {"selector": "#done"}
        adapter = pages.dom({"folder": str(folder), "page": f"/{name}", "success": sought})
        recording = record(adapter, TASK)
        page.goto(recordings.recording_url(recording))
        return recording

    return start


@pytest.fixture
def ending() -> Iterator[Callable[[Recording], None]]:
    """Does what a study does that ends attempts on success: closes the recording the moment it is told."""
    stop, threads = threading.Event(), []

    def start(recording: Recording) -> None:
        def watch() -> None:
            while not stop.wait(0.02):
                if Recording.objects.get(pk=recording.pk).success_at is not None:
                    recordings.begin_closing(Recording.objects.get(pk=recording.pk))
                    break
            connection.close()

        threads.append(threading.Thread(target=watch))
        threads[-1].start()

    yield start
    stop.set()
    for thread in threads:
        thread.join()


def closed(recording: Recording, page: Page) -> Proof:
    until(lambda: Recording.objects.get(pk=recording.pk).state == "closing")
    recording.refresh_from_db()
    until(lambda: page.wait_for_timeout(30) or recordings.is_drained(recording))  # type: ignore[func-returns-value]
    return recordings.close_recording(recording)


def kinds(recording: Recording) -> list[str]:
    return [event["type"] for event in recordings.raw_events(recording) if event["origin"] == "user"]


def passed(recording: Recording) -> bool:
    return pages.PageAdapter("dom", pages.Pages(base_url="http://127.0.0.1:9")).evaluate(recording.session).passed


def test_success_in_the_middle_of_a_press_ends_after_the_click(begin, ending, page: Page) -> None:
    recording = begin("press.html")
    ending(recording)
    page.hover("#go")
    page.mouse.down()
    page.wait_for_timeout(600)
    recording.refresh_from_db()
    assert recording.success_at is None, "the button is still held"
    page.mouse.up()
    assert closed(recording, page).complete
    assert "click" in kinds(recording)
    assert passed(recording)


def test_success_in_the_middle_of_a_slider_ends_after_the_drag(begin, ending, page: Page) -> None:
    recording = begin("slider.html")
    ending(recording)
    box = page.locator("#s").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + box["height"] / 2)
    page.mouse.down()
    for step in range(10, 280, 30):
        page.mouse.move(box["x"] + step, box["y"] + box["height"] / 2)
    page.wait_for_timeout(500)
    page.mouse.up()
    assert closed(recording, page).complete
    change = [event for event in recordings.raw_events(recording) if event["type"] in ("change", "input")]
    assert int(change[-1]["value"]) > 80, "the last of the drag is there"
    assert kinds(recording).count("drag") == 1


def test_a_drop_that_never_has_a_release_ends_after_the_drag(begin, ending, page: Page) -> None:
    recording = begin("drop.html")
    ending(recording)
    page.drag_and_drop("#a", "#b")
    assert closed(recording, page).complete
    assert "drag" in kinds(recording)
    assert passed(recording)


def test_success_on_a_page_that_leaves_at_once_is_seen(begin, page: Page) -> None:
    recording = begin("leave.html")
    page.click("#go")
    page.wait_for_selector("#away")
    until(lambda: Recording.objects.get(pk=recording.pk).success_at is not None)
    assert passed(recording)


def test_success_that_went_away_counts_or_not_as_the_task_says(begin, page: Page) -> None:
    seen, at_end = begin("flicker.html"), None
    page.click("#go")
    until(lambda: Recording.objects.get(pk=seen.pk).success_at is not None)
    until(lambda: not Recording.objects.get(pk=seen.pk).success_holds)
    assert passed(seen)
    at_end = begin("flicker.html", selector="#done", when="at_end")
    page.click("#go")
    until(lambda: Recording.objects.get(pk=at_end.pk).success_holds)
    until(lambda: not Recording.objects.get(pk=at_end.pk).success_holds)
    assert not passed(at_end)


def test_a_predicate_sees_state_that_no_element_shows(begin, page: Page) -> None:
    recording = begin("state.html", predicate="window.cart.paid === true && [1, 2].some((x) => x > 1)")
    page.wait_for_timeout(400)
    recording.refresh_from_db()
    assert recording.success_at is None
    page.click("#go")
    until(lambda: Recording.objects.get(pk=recording.pk).success_at is not None)


def test_a_predicate_that_throws_is_false(begin, page: Page) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    recording = begin("click.html", predicate="nothing.of.this.exists")
    page.click("#go")
    page.wait_for_timeout(400)
    recording.refresh_from_db()
    assert recording.success_at is None
    assert errors == []


def test_the_strictest_policy_lets_the_watch_in_and_the_page_sees_nothing_of_it(begin, page: Page) -> None:
    recording = begin("strict.html")
    until(lambda: Recording.objects.get(pk=recording.pk).success_at is not None)
    assert page.evaluate("document.querySelectorAll('script').length") == 0
    assert page.evaluate("Object.keys(window).filter((name) => /sought|told|holds|visible/.test(name))") == []


def test_a_folder_is_served_as_a_web_server_would(folder: Path, live: Live, settings) -> None:
    recording = record(pages.static({"folder": str(folder)}), TASK)
    asking = Asking(live.port, f"{recording.key}.{settings.ENV_HOST}:{live.port}")
    got = asking.get("/")
    assert (got.status, got.header("content-type")) == (200, "text/html; charset=utf-8")
    assert b"data-worker" in got.body
    assert asking.get("/na%C3%AFve%20caf%C3%A9.txt").body == b"tea"
    moved = asking.get("/below?x=1")
    assert (moved.status, moved.header("location")) == (308, "/below/?x=1")
    assert asking.get("/below/").status == 200
    plain = asking.get("/na%C3%AFve%20caf%C3%A9.txt", Sec_Fetch_Dest="empty")
    assert (
        asking.get(
            "/na%C3%AFve%20caf%C3%A9.txt", Sec_Fetch_Dest="empty", If_None_Match=plain.header("etag") or ""
        ).status
        == 304
    )
    assert asking.ask("POST", "/").status == 405


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/way-out/secret.txt",
        "/.hidden",
        "/below/../.hidden",
    ],
)
def test_nothing_outside_a_folder_is_served(folder: Path, live: Live, settings, path: str) -> None:
    recording = record(pages.static({"folder": str(folder)}), TASK)
    got = Asking(live.port, f"{recording.key}.{settings.ENV_HOST}:{live.port}").get(path)
    assert (got.status, b"CANARY" in got.body) == (404, False)


class TestProtocol(Conformance):
    """dom over a folder; what the page shows is noted as the gateway would."""

    @pytest.fixture
    def case(self, folder: Path, db: None) -> Case:
        adapter = pages.dom({"folder": str(folder), "success": {"selector": "#done"}})

        def opened(session) -> None:
            recordings.open_recording(session=session, adapter="dom")

        def solve(session) -> None:
            recordings.note_success(Recording.objects.get(session=session.id).pk, seen=True)

        moved = folder.with_name("moved")
        return Case(
            adapter,
            TASK,
            solve=solve,
            opened=opened,
            break_down=lambda: folder.rename(moved) and None,
            mend=lambda: moved.rename(folder) and None,
        )


class TestManualProtocol(TestProtocol):
    @pytest.fixture
    def case(self, folder: Path, db: None) -> Case:
        def opened(session) -> None:
            recordings.open_recording(session=session, adapter="manual")

        return Case(pages.manual({"folder": str(folder)}), TASK, opened=opened)


def test_each_task_may_have_a_page_and_a_success_of_its_own(folder: Path) -> None:
    adapter = pages.dom({"folder": str(folder), "page": "/task/{task}?mode=benchmark"})
    own = TaskRef(
        "e", "radio antd/T01", None, 1, {"success": {"selector": "#cb"}, "start_path": "/own/{task}?s={seed}"}
    )
    assert adapter.prepare(own).start_path == "/own/radio%20antd%2FT01?s=1"
    with pytest.raises(UnknownTask, match="Nothing says what success"):
        adapter.prepare(TaskRef("e", "radio", None, 1))
    with pytest.raises(UnknownTask, match="say either a selector or a predicate"):
        adapter.prepare(TaskRef("e", "radio", None, 1, {"success": {}}))


@pytest.mark.parametrize(
    ("make", "options", "said"),
    [
        (pages.dom, {}, "say either base_url or folder"),
        (pages.dom, {"base_url": "ftp://x"}, "base_url: 'ftp://x' is no web address"),
        (pages.dom, {"base_url": "http://u:p@x"}, "must be an origin only"),
        (pages.dom, {"base_url": "http://x", "page": "//evil.example"}, "begins with one /"),
        (pages.dom, {"base_url": "http://x", "page": "/{secret}"}, "{secret} means nothing here"),
        (pages.dom, {"base_url": "http://x", "succes": {}}, "succes: this name is not known here"),
        (pages.static, {"folder": "/no/such/folder"}, "is no folder"),
        (pages.static, {"folder": "../relative"}, "is no folder"),
        (pages.static, {"base_url": "http://x"}, "needs the folder"),
        (pages.manual, {"base_url": "http://x", "success": {"selector": "#a"}}, "use dom"),
    ],
)
def test_options_that_cannot_work(make, options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadOptions) as caught:
        make(options)
    assert said in caught.value.message


@pytest.mark.parametrize(
    "text", ["a)", "(a", "a; b", "a // b", "'a", "`${a}`", "</script>", " ", "/* */ a", "a" * 3000]
)
def test_predicates_that_break_out_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="predicate"):
        refuse_broken(text)


def test_a_site_that_does_not_answer(folder: Path) -> None:
    adapter = pages.manual({"base_url": "http://127.0.0.1:9"})
    assert "cannot be reached" in adapter.probe().detail
    with pytest.raises(EnvironmentDown):
        adapter.prepare(TASK)


@pytest.mark.django_db
def test_a_session_without_a_recording_is_forgotten(folder: Path) -> None:
    adapter = pages.manual({"folder": str(folder)})
    with pytest.raises(SessionForgotten):
        adapter.evaluate(adapter.prepare(TASK).id)


@pytest.mark.parametrize("name", ["click.html", "slider.html"])
def test_a_replay_in_a_fresh_session_sees_success_too(begin, folder: Path, chromium, page: Page, name: str) -> None:
    recording = begin(name)
    if name == "click.html":
        page.click("#go")
    else:
        page.locator("#s").focus()
        for _ in range(3):
            page.keyboard.press("PageUp")
        page.keyboard.press("End")
    until(lambda: Recording.objects.get(pk=recording.pk).success_at is not None)
    recordings.begin_closing(recording)
    assert closed(recording, page).complete
    source = source_of(build_trace(recording))
    adapter = pages.dom({"folder": str(folder), "page": f"/{name}", "success": {"selector": "#done"}})
    done = replay_task(chromium, source, adapter, TASK, Settings(), session=recording.session)
    assert done.error == ""
    assert done.verdict is not None
    assert (done.verdict.passed, done.verdict.source) == (True, "page")


def test_a_replay_that_does_nothing_sees_none(folder: Path, chromium) -> None:
    trace = {"schema": "footpath.trace/1", "documents": [], "events": [], "cleaned": [], "steps": [], "proof": {}}
    adapter = pages.dom({"folder": str(folder), "page": "/click.html", "success": {"selector": "#done"}})
    done = replay_task(chromium, source_of(trace), adapter, TASK, Settings())
    assert done.verdict is not None
    assert not done.verdict.passed
