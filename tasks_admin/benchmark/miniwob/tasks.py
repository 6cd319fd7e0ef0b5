"""Every task that the package ``miniwob`` registers: 125 pages, and three flight searches whose site runs in a frame."""

from __future__ import annotations

import re

import gymnasium
import miniwob

from tasks_admin.benchmark.engine.catalogue import Task

GENERIC = "The task is written in the yellow box at the top of the page."
REGISTERED = re.compile(r"miniwob/(.+)-v1")
FLIGHTS = "flight."


def _task(name: str, title: str, difficulty: str, steps: int | None, *primitives: str) -> Task:
    return Task(name, title, GENERIC, difficulty, steps, primitives, start_path=page_of(name))


def page_of(name: str) -> str:
    """Where the task's page is: the flight searches are wrapped in a page of their own."""
    if name.startswith(FLIGHTS):
        return f"/flight/{name.removeprefix(FLIGHTS)}/wrapper.html"
    return f"/miniwob/{name}.html"


# The tasks of the sample study: real input suffices for each, and none asks the network.
SAMPLE: dict[str, Task] = {
    task.id: task
    for task in (
        _task("click-button", "Click the named button", "easy", 1, "grounding"),
        _task("enter-text", "Enter a text and submit it", "medium", 3, "grounding", "planning"),
        _task("login-user", "Log in with user name and password", "hard", 5, "grounding", "planning"),
        _task("search-engine", "Search, and open the right result", "expert", 5, "exploration", "state_tracking"),
        _task("book-flight", "Book the flight that fits", "frontier", 9, "planning", "patience", "verification"),
    )
}


def registered() -> list[str]:
    """The names of the package's tasks, as its own registration has them."""
    if not miniwob.__file__:
        return []
    found = [REGISTERED.fullmatch(name) for name in gymnasium.registry]
    return sorted(match.group(1) for match in found if match)


def _plain(name: str) -> Task:
    """A task as the package has it: it tells neither difficulty nor steps, so all are `easy` until a catalogue says more."""
    words = re.sub(r"[-.]", " ", name)
    return _task(name, words[:1].upper() + words[1:], "easy", None)


TASKS: tuple[Task, ...] = (*SAMPLE.values(), *(_plain(name) for name in registered() if name not in SAMPLE))
