"""A trace that does not replay is diagnosed: missing locator, changed page, lost step, timing, secret; and the command says it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from recorder.environments.base import Verdict
from recorder.replay.diagnose import diagnose
from recorder.replay.results import Replay, StepResult
from recorder.replay.source import Source, source_of
from tests.replay.conftest import Lab, faults

pytestmark = pytest.mark.e2e
PAGE = (
    "<!doctype html><title>page</title><p><button id=a>One</button></p><p><button id=b>Two</button></p>"
    "<a id=c href=next.html>Next</a>"
)
NEXT = "<!doctype html><title>next</title><button id=d>Done</button>"
DRIVE = [
    {"do": "click", "at": "#a"},
    {"do": "click", "at": "#c"},
    {"do": "wait_for", "css": "#d"},
    {"do": "click", "at": "#d"},
]


@pytest.fixture
def there(lab: Callable[[], Any], tmp_path: Path) -> Iterator[Lab]:
    (tmp_path / "page.html").write_text(PAGE)
    (tmp_path / "next.html").write_text(NEXT)
    with lab() as running:
        yield running


def replayed(there: Lab, trace: dict[str, Any], **settings: Any) -> tuple[Source, Replay]:
    source = source_of(trace)
    return source, there.replay(trace, patience=1.0, **settings)[0]


def test_as_recorded_nothing_is_wrong(there: Lab) -> None:
    source, replay = replayed(there, there.record(DRIVE))
    assert (faults(replay), diagnose(source, replay)) == ([], None)


def test_a_changed_page(there: Lab) -> None:
    trace = there.record(DRIVE)
    (there.folder / "next.html").write_text(NEXT.replace("<button id=d>Done</button>", "<p>Gone</p>"))
    source, replay = replayed(there, trace)
    told = diagnose(source, replay)
    assert (replay.broke_at, [step.outcome for step in replay.steps]) == (3, ["done", "done", "failed"])
    assert told is not None
    assert (told.kind, told.words) == ("changed page", "button “Done” is not on this page.")


def test_a_lost_step(there: Lab) -> None:
    trace = there.record(DRIVE)
    del trace["steps"][1]
    source, replay = replayed(there, trace)
    told = diagnose(source, replay)
    assert told is not None
    assert told.kind == "lost step"
    assert "done on /next.html, the replay stands on /page.html" in told.words


def test_an_element_found_by_another_locator_is_healed_and_a_look_alike_is_not_taken(there: Lab) -> None:
    trace = there.record([{"do": "click", "at": "#b"}])
    (there.folder / "page.html").write_text(PAGE.replace("id=a>One", "id=b>One").replace("id=b>Two", "id=z>Two"))
    _, replay = replayed(there, trace)
    (step,) = replay.steps
    assert (step.outcome, step.locator) == ("healed", "role")
    (there.folder / "page.html").write_text(
        PAGE.replace("<button id=b>Two", "<button>Three").replace("id=a>One", "id=y>One")
    )
    _, replay = replayed(there, trace)
    assert replay.broke_at == 1


def test_no_locator_from_the_start(there: Lab) -> None:
    trace = there.record([{"do": "click", "at": "#b"}])
    target = trace["steps"][0]["target"]
    target |= {"css": "button", "matches": {"css": 2, "role": 2}, "xpath": "/html/body/p[9]/button"}
    for name in ("name", "text", "role"):
        target.pop(name, None)
    source, replay = replayed(there, trace)
    told = diagnose(source, replay)
    assert told is not None
    assert told.kind == "missing locator"


def result(*, passed: bool, broke_at: int | None = None) -> Replay:
    steps = [StepResult(0, "click", "failed" if broke_at else "done", "It is not there." if broke_at else "")]
    return Replay("fast", steps, broke_at, verdict=Verdict(float(passed), passed, "server"))


def test_timing_and_a_check_that_fails() -> None:
    step = {"type": "click", "t": 1, "raw": [0, 0], "target": {}}
    source = Source([step], [{"type": "blind", "t": 0, "reason": "native picker"}], [])
    slow = diagnose(source, result(passed=False, broke_at=1), result(passed=True))
    assert slow is not None
    assert (slow.kind, "step 1 fails: It is not there." in slow.words) == ("timing", True)
    failed = diagnose(source, result(passed=False), result(passed=False))
    assert failed is not None
    assert (failed.kind, "native picker" in failed.words) == ("lost step", True)


def test_the_command(there: Lab, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "trace.json"
    file.write_text(json.dumps(there.record(DRIVE)))
    run("replay", str(file), url=f"{there.origin}/page.html", json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["played"], told["diagnosis"], told["counts"]["done"]) == (True, None, 3)
    (there.folder / "page.html").write_text("<p>Closed for today</p>")
    with pytest.raises(CommandError, match="changed page: button “One” is not on this page"):
        run("replay", str(file), url=f"{there.origin}/page.html")
    assert "✗    1 click" in capsys.readouterr().out
    with pytest.raises(CommandError, match="must be FIELD=TEXT"):
        run("replay", str(file), secret=["pin"])
    with pytest.raises(CommandError, match="cannot be read"):
        run("replay", str(tmp_path / "none.json"))


def run(*arguments: str, **options: Any) -> None:
    """The command in a thread of its own: it starts its own browser."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(call_command, *arguments, **options).result()
