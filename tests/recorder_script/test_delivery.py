"""Nothing is lost and nothing counts twice: reload, lost network, a server that refuses, a crash, the back-forward cache."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Error, Page

from tests.recorder_script.toy import Toy

Wait = Callable[..., Any]
HTML = "<html><head></head><body><button id=b>Go</button><input id=t><a id=n href=/q>next</a></body></html>"


def clicks(toy: Toy) -> int:
    return len([event for event in toy.of("click") if event["target"].get("css") == "#b"])


def whole(toy: Toy) -> bool:
    """Every document's events up to its last are there."""
    last: dict[str, int] = {}
    for post in toy.posts:
        for entry in post["docs"]:
            last[entry["doc"]] = max(last.get(entry["doc"], -1), entry["last"])
    return all(set(range(end + 1)) <= toy.seen[doc] for doc, end in last.items())


def farewells(toy: Toy) -> set[str]:
    """Documents that are known to have closed."""
    entries = [(post, entry) for post in toy.posts for entry in post["docs"]]
    return {entry["doc"] for post, entry in entries if entry.get("meta", {}).get("closed") is not None}


def open_page(toy: Toy, page: Page) -> None:
    toy.pages = {"/p": HTML, "/q": HTML}
    page.goto(toy.url + "/p")


def test_reload_in_the_middle(toy: Toy, page: Page, wait: Wait) -> None:
    open_page(toy, page)
    for _ in range(4):
        page.click("#b")
        page.reload()
    page.click("#b")
    wait(lambda: clicks(toy) == 5)
    wait(lambda: whole(toy))
    assert len(toy.seen) == 5


def test_a_lost_network(toy: Toy, page: Page, wait: Wait) -> None:
    open_page(toy, page)
    wait(lambda: toy.posts)
    page.context.set_offline(True)
    for _ in range(5):
        page.click("#b")
        page.wait_for_timeout(200)
    page.context.set_offline(False)
    wait(lambda: clicks(toy) == 5)
    wait(lambda: whole(toy))


def test_a_server_that_is_busy(toy: Toy, page: Page, wait: Wait) -> None:
    open_page(toy, page)
    wait(lambda: toy.posts)
    toy.fail = [503, 429, 500]
    page.click("#b")
    wait(lambda: clicks(toy) == 1 and toy.fail == [])
    wait(lambda: whole(toy))


def test_one_event_the_server_will_not_have(toy: Toy, page: Page, wait: Wait) -> None:
    open_page(toy, page)
    wait(lambda: toy.posts)
    toy.poison = '"data":"x"'
    page.click("#t")
    page.keyboard.type("axb")
    page.click("#b")
    wait(lambda: clicks(toy) == 1)
    assert [event["data"] for event in toy.of("input")] == ["a", "b"]
    wait(lambda: [event for event in toy.of("blind") if event["reason"] == "refused"])


def test_a_crashed_tab_is_made_good_by_the_next(toy: Toy, page: Page, wait: Wait) -> None:
    open_page(toy, page)
    wait(lambda: toy.posts)
    toy.fail = [503] * 1000
    page.click("#b")
    page.wait_for_timeout(1000)
    crashed: list[Page] = []
    page.on("crash", lambda it: crashed.append(it))
    other = page.context.new_page()
    with contextlib.suppress(Error):  # it crashes
        page.goto("chrome://crash", timeout=2000)
    for _ in range(400):
        if not crashed:
            other.wait_for_timeout(50)
    assert crashed
    assert clicks(toy) == 0
    toy.fail = []
    other.goto(toy.url + "/q")
    deadline = time.monotonic() + 15
    while not (clicks(toy) == 1 and whole(toy)) and time.monotonic() < deadline:
        other.wait_for_timeout(50)
    assert clicks(toy) == 1
    assert whole(toy)
    dead, living = toy.posts[0]["docs"][0]["doc"], toy.posts[-1]["docs"][0]["doc"]
    assert dead != living
    assert farewells(toy) == set()  # it never said one, and nobody says it for it


def test_a_laptop_that_slept(toy: Toy, page: Page, wait: Wait) -> None:
    open_page(toy, page)
    wait(lambda: whole(toy))
    client = page.context.new_cdp_session(page)
    page.click("#b")
    client.send("Page.setWebLifecycleState", {"state": "frozen"})  # the page and its worker stand still
    page.context.set_offline(True)
    client.send("Page.setWebLifecycleState", {"state": "active"})
    page.click("#b")
    page.context.set_offline(False)
    wait(lambda: clicks(toy) == 2)
    wait(lambda: whole(toy))
    assert len(toy.of("click")) == 2


def test_leaving_while_the_server_is_away(toy: Toy, page: Page, wait: Wait) -> None:
    open_page(toy, page)
    wait(lambda: toy.posts)
    toy.fail = [503] * 1000
    page.click("#b")
    page.click("#n")
    page.wait_for_timeout(300)
    toy.fail = []
    wait(lambda: clicks(toy) == 1)
    wait(lambda: whole(toy))


def test_a_farewell_that_nobody_heard_comes_with_the_next_page(toy: Toy, page: Page, wait: Wait) -> None:
    open_page(toy, page)
    wait(lambda: toy.posts)
    first = toy.posts[0]["docs"][0]["doc"]
    toy.fail = [503] * 1000
    page.click("#n")
    page.wait_for_timeout(300)
    heard = len(toy.posts)
    toy.fail = []
    wait(
        lambda: (
            first
            in {
                entry["doc"]
                for post in toy.posts[heard:]
                for entry in post["docs"]
                if "closed" in entry.get("meta", {})
            }
        ),
        15,
    )
    wait(lambda: whole(toy))


def test_the_back_forward_cache(toy: Toy, page: Page, wait: Wait) -> None:
    open_page(toy, page)
    page.click("#b")
    page.click("#n")
    page.wait_for_timeout(300)
    page.go_back(wait_until="commit")
    page.click("#b")
    wait(lambda: clicks(toy) == 2)
    back = [event for event in toy.of("navigate") if event["how"] in {"back", "bfcache"}]
    assert len(back) == 1
    assert back[0]["origin"] == "user"
    assert back[0]["delta"] == -1
    wait(lambda: whole(toy))


def test_a_closed_recording_is_left_alone(toy: Toy, page: Page, wait: Wait) -> None:
    open_page(toy, page)
    wait(lambda: toy.posts)
    toy.state = "closed"
    page.click("#b")
    wait(lambda: clicks(toy) == 1)
    page.wait_for_timeout(500)
    posts = len(toy.posts)
    page.click("#b")
    page.wait_for_timeout(2000)
    assert len(toy.posts) == posts
    assert clicks(toy) == 1


def test_a_page_that_sends_the_person_back(shown: Any, page: Page, toy: Toy, wait: Wait) -> None:
    def returns() -> list[tuple[str, str]]:
        return [(event["how"], event["origin"]) for event in toy.of("navigate") if event["how"] in {"back", "bfcache"}]

    shown("<a id=a href=/q>on</a>", q="<button id=b onclick='history.back()'>Back</button>")
    page.click("#a")
    page.click("#b")
    wait(returns)
    page.click("#a")
    page.locator("#b").wait_for()
    page.go_back(wait_until="commit")
    wait(lambda: len(returns()) > 1)
    assert returns() == [("bfcache", "page"), ("bfcache", "user")]
