"""Shorthand, written: by the worker's own code in Chromium, and read by the server's. What comes out is what went in, to the letter."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from recorder import shorthand
from recorder.wire import read_line
from tests.recorder_script.conftest import Wait
from tests.recorder_script.toy import Toy
from tests.shorthand_js import SHORTHAND

CASES = json.loads((Path(__file__).parents[1] / "cases" / "shorthand.json").read_text())
DOC = "d-9_aaaaaaaaaaaaaaaaaa"
WRITE = f"""([doc, posts]) => {{
  const {{ shorthand, remember }} = ({SHORTHAND})(doc);
  return posts.map((post) => {{
    const batch = post.lines.map((line) => ({{ n: JSON.parse(line).n, line }}));
    const body = shorthand(post.who, batch, post);
    batch.forEach(remember);
    return body;
  }});
}}"""
LINES = """(events) => events.map((event) => JSON.stringify(event))"""
Writer = Callable[[str, list[dict[str, Any]]], list[str]]


@pytest.fixture(scope="module")
def blank(chromium: Browser) -> Iterator[Page]:
    page = chromium.new_page()
    yield page
    page.close()


@pytest.mark.parametrize("case", CASES, ids=[case["title"] for case in CASES])
def test_the_worker_writes_what_the_vectors_say(blank: Page, case: dict[str, Any]) -> None:
    bodies = blank.evaluate(WRITE, [case["doc"], case["posts"]])
    assert bodies == [post["body"] for post in case["posts"]]


tenths = st.integers(-(2**42), 2**42).map(lambda value: value // 10 if value % 10 == 0 else value / 10)
odd_numbers = st.sampled_from([1e-5, 1e-6, 1.5e-6, 1e-7, 1e16, 1e20, 1e21, 1.5e300])
numbers = st.one_of(st.integers(-50, 50), tenths, st.floats(-1000, 1000, allow_nan=False), odd_numbers)
texts = st.one_of(
    st.text(max_size=3), st.sampled_from(["a", "b", "\u2028", "\ud83d\ude42", '"', "\\", "%s", "é", "\x00", "\ud800"])
)
plain = st.one_of(st.none(), st.booleans(), numbers, texts)
paths = st.lists(st.lists(numbers, min_size=3, max_size=3), max_size=4)
deep = st.one_of(plain, st.lists(plain, max_size=2), paths, st.dictionaries(texts, plain, max_size=2))
targets = st.sampled_from(
    [{"tag": "p"}, {"tag": "a"}, {"tag": "p", "css": "#k"}, {"tag": "a", "css": "#l", "matches": {"css": 1}}]
)
moves = st.fixed_dictionaries(
    {"type": st.just("mousemove"), "origin": st.just("user"), "target": targets, "x": numbers, "y": numbers}
)
keys = st.fixed_dictionaries({"type": st.just("keydown"), "origin": st.just("user"), "target": targets, "key": texts})
drags = st.fixed_dictionaries(
    {"type": st.just("drag"), "origin": st.just("user"), "target": targets, "from": targets, "path": paths}
)
odd = st.dictionaries(texts, deep, max_size=4).map(lambda more: {"type": "focus", "origin": "user"} | more)
typing = st.sampled_from("abc ")


@st.composite
def events(draw: Any) -> list[dict[str, Any]]:
    """Posts' events without `doc`, `n` and `p`: typing that goes on, is broken off, and everything else."""
    found, text = [], ""
    for kind in draw(st.lists(st.sampled_from("mktdoj"), max_size=12)):
        if kind in "tj":
            before, data = (text, draw(typing)) if kind == "t" else (draw(texts), draw(plain))
            text = before + str(data or "")
            target = draw(targets)
            found.append(
                {"type": "input", "origin": "user", "target": target, "value": text, "before": before, "data": data}
            )
        else:
            found.append(draw({"m": moves, "k": keys, "d": drags, "o": odd}[kind]))
    return found


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(events(), min_size=1, max_size=4), st.data())
def test_whatever_pages_hand_over_arrives_to_the_letter(
    blank: Page, batches: list[list[dict[str, Any]]], data: Any
) -> None:
    n, p, posts, made = 0, 0.0, [], []
    for batch in batches:
        for event in batch:
            p = round(p + data.draw(st.integers(0, 9000)) / 10, 1)
            made.append(
                {"doc": DOC, "n": n, "p": p}
                | {name: value for name, value in event.items() if name not in {"doc", "n", "p"}}
            )
            n += 1
    lines = blank.evaluate(LINES, made)
    at = 0
    for batch in batches:
        own = lines[at : at + len(batch)]
        at += len(batch)
        posts.append({"who": DOC[:6], "last": at - 1, "left": 1, "rtt": None, "sent": p, "lines": own})
    held: dict[int, str] = {}
    for post, body in zip(posts, blank.evaluate(WRITE, [DOC, posts]), strict=True):
        found = shorthand.lines(shorthand.read(body), DOC, held, 2**24)
        assert [line for line, _ in found] == post["lines"]
        checked = [read_line(line) for line, _ in found]
        for (_, leader), line in zip(found, checked, strict=True):
            assert not line.reason or checked[leader].reason  # who follows a good one is good
        held |= {line.n: line.text for line in checked if line.n is not None}


def test_a_batch_with_gaps_or_with_times_that_go_back_is_not_written_so(blank: Page) -> None:
    lines = [
        json.dumps({"doc": "d", "n": n, "p": p, "type": "focus"}, separators=(",", ":"))
        for n, p in ((0, 5), (2, 6), (3, 4))
    ]
    posts = [{"who": "d", "last": 3, "left": 0, "rtt": None, "sent": 9, "lines": own} for own in (lines[:2], lines[1:])]
    assert blank.evaluate(WRITE, ["d", posts]) == ["", ""]


def test_a_server_that_forgot_gets_lines_and_then_shorthand_again(shown: Any, page: Page, toy: Toy, wait: Wait) -> None:
    shown("<button id=b>Go</button>")
    page.click("#b")
    wait(lambda: toy.of("click"))
    toy.reader.held.clear()
    page.click("#b")
    wait(lambda: len(toy.of("click")) == 2)
    assert toy.misunderstood == 1
    assert [post["v"] for post in toy.posts[-1:]] == [1]
    page.click("#b")
    wait(lambda: len(toy.of("click")) == 3)
    wait(lambda: toy.posts[-1]["v"] == 2)
    assert toy.misunderstood == 1


def test_a_server_that_never_understands_gets_lines(shown: Any, page: Page, toy: Toy, wait: Wait) -> None:
    toy.versions = (1,)
    shown("<button id=b>Go</button>")
    for many in range(1, 9):
        page.click("#b")
        wait(lambda many=many: len(toy.of("click")) == many)
    assert {post["v"] for post in toy.posts} == {1}
    assert toy.misunderstood == 5


def test_what_happens_within_a_second_goes_in_one_post(shown: Any, page: Page, toy: Toy, wait: Wait) -> None:
    shown("<input id=t>")
    page.focus("#t")
    page.keyboard.type("abcdefghijklmnopqrstuvwxyz0123456789", delay=120)
    wait(lambda: len(toy.of("input")) == 36)
    sent = [post["sent"] for post in toy.posts if post["docs"][0]["last"] > 5]
    assert len(sent) > 2
    assert min(later - one for one, later in zip(sent, sent[1:], strict=False)) > 700
