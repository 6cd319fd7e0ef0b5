"""The MiniWoB++ tasks of the sample study: real input suffices for each, and none asks the network."""

from __future__ import annotations

from tasks_admin.benchmark.engine.catalogue import Task

GENERIC = "The task is written in the yellow box at the top of the page."


def _task(name: str, title: str, difficulty: str, steps: int, *primitives: str) -> Task:
    return Task(name, title, GENERIC, difficulty, steps, primitives, start_path=f"/miniwob/{name}.html")


TASKS = (
    _task("click-button", "Click the named button", "easy", 1, "grounding"),
    _task("enter-text", "Enter a text and submit it", "medium", 3, "grounding", "planning"),
    _task("login-user", "Log in with user name and password", "hard", 5, "grounding", "planning"),
    _task("search-engine", "Search, and open the right result", "expert", 5, "exploration", "state_tracking"),
    _task("book-flight", "Book the flight that fits", "frontier", 9, "planning", "patience", "verification"),
)
