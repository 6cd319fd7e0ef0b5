"""How posts are grouped on their way to the database."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from django.db import OperationalError

from recorder.errors import FootpathError
from recorder.gateway import intake
from recorder.gateway.app import Gateway
from recorder.gateway.asgi import Message
from recorder.gateway.intake import MAX_BYTES, MAX_POSTS, Intake
from recorder.gateway.lookup import Route
from recorder.gateway.script import EVENTS
from recorder.ingest import Outcome, Post, RecordingHeld, Reply


class Store:
    """In place of the database: notes the groups, and holds the first ones until the gate opens."""

    def __init__(self) -> None:
        self.groups: list[list[int]] = []
        self.gate = threading.Event()
        self.held: set[int] = set()
        self.error: Exception | None = None

    def __call__(self, posts: Sequence[Post]) -> list[Outcome]:
        self.groups.append([post.recording for post in posts])
        assert self.gate.wait(30)
        if self.error:
            raise self.error
        return [self.outcome(post, alone=len(posts) == 1) for post in posts]

    def outcome(self, post: Post, *, alone: bool) -> Outcome:
        if post.body == b"poison":
            raise ZeroDivisionError
        if post.recording in self.held and not alone:
            return RecordingHeld()
        if post.body == b"bad":
            return FootpathError("malformed", 400, "bad")
        return Reply("open", ack={post.body.decode()[:20]: post.recording})


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    made = Store()
    monkeypatch.setattr(intake, "ingest_together", made)
    monkeypatch.setattr(intake, "with_connection", lambda work: work())
    return made


@pytest.fixture
def executor() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as made:
        yield made


def posts(*recordings: int, body: bytes = b"d") -> list[Post]:
    return [Post(recording, body, datetime.now(UTC)) for recording in recordings]


async def asked(taker: Intake, *wanted: Post) -> list[asyncio.Task[Reply]]:
    """All wait at once."""
    tasks = [asyncio.ensure_future(taker.take_in(post)) for post in wanted]
    await asyncio.sleep(0)
    return tasks


async def test_what_nobody_foresaw_of_one_is_not_borne_by_the_others(
    store: Store, executor: ThreadPoolExecutor
) -> None:
    tasks = await asked(Intake(executor), *posts(1, 2, 3), *posts(4, body=b"poison"), *posts(5))
    store.gate.set()
    replies = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(replies.pop(3), ZeroDivisionError)
    assert [reply.ack["d"] for reply in replies if isinstance(reply, Reply)] == [1, 2, 3, 5]


async def test_what_comes_meanwhile_is_stored_together(store: Store, executor: ThreadPoolExecutor) -> None:
    tasks = await asked(Intake(executor), *posts(1, 2, 3, 4, 5))
    store.gate.set()
    replies = await asyncio.gather(*tasks)
    assert [reply.ack["d"] for reply in replies] == [1, 2, 3, 4, 5]
    assert sorted(map(sorted, store.groups)) == [[1], [2], [3, 4, 5]]


async def test_posts_of_one_recording_keep_their_order_and_never_meet(
    store: Store, executor: ThreadPoolExecutor
) -> None:
    wanted = [*posts(1, body=b"a"), *posts(2), *posts(1, body=b"b"), *posts(1, body=b"c"), *posts(3)]
    taker = Intake(executor)
    order: list[bytes] = []
    outcome = store.outcome
    store.outcome = lambda post, alone: (order.append(post.body), outcome(post, alone=alone))[1]  # type: ignore[method-assign]
    tasks = await asked(taker, *wanted)
    store.gate.set()
    await asyncio.gather(*tasks)
    assert [body for body in order if body != b"d"] == [b"a", b"b", b"c"]
    assert all(len(set(group)) == len(group) for group in store.groups)
    assert not taker.in_hand
    assert not taker.writing


async def test_a_group_has_its_limits(store: Store, executor: ThreadPoolExecutor) -> None:
    many = posts(*range(MAX_POSTS + 12))
    large = posts(*range(1000, 1003), body=b"x" * (MAX_BYTES // 2 + 1))
    tasks = await asked(Intake(executor), *many, *large)
    store.gate.set()
    await asyncio.gather(*tasks)
    assert max(map(len, store.groups)) == MAX_POSTS
    assert all(len([one for one in group if one >= 1000]) <= 1 for group in store.groups)


async def test_what_is_held_elsewhere_is_stored_by_itself(store: Store, executor: ThreadPoolExecutor) -> None:
    store.held = {4}
    tasks = await asked(Intake(executor), *posts(1, 2, 3, 4, 5))
    store.gate.set()
    replies = await asyncio.gather(*tasks)
    assert [reply.ack["d"] for reply in replies] == [1, 2, 3, 4, 5]
    assert store.groups[-1] == [4]


async def test_each_page_hears_of_its_own_error_and_all_of_the_databases(
    store: Store, executor: ThreadPoolExecutor
) -> None:
    taker = Intake(executor)
    tasks = await asked(taker, *posts(1, 2, 3), *posts(4, body=b"bad"))
    store.gate.set()
    told = await asyncio.gather(*tasks, return_exceptions=True)
    assert [getattr(one, "code", "stored") for one in told] == ["stored", "stored", "stored", "malformed"]
    store.error = OperationalError("away")
    told = await asyncio.gather(*await asked(taker, *posts(1, 2, 3, 4)), return_exceptions=True)
    assert [type(one) for one in told] == [OperationalError] * 4
    store.error = None
    (reply,) = await asyncio.gather(*await asked(taker, *posts(1)))
    assert reply.ack == {"d": 1}


async def test_a_post_that_has_arrived_is_kept_though_its_page_goes_while_we_look_whose_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken: list[bytes] = []
    gone = False

    async def receive() -> Message:
        """As uvicorn has it: once the connection is gone nothing is given out any more."""
        return {"type": "http.disconnect"} if gone else {"type": "http.request", "body": b"all", "more_body": False}

    async def find(key: str, *, fresh: bool) -> Route:
        nonlocal gone
        gone = True
        return Route(7, "open", "http://site", (), started=True)

    async def take_in(post: Post) -> Reply:
        taken.append(post.body)
        return Reply("open")

    async def send(message: Message) -> None: ...

    gateway = Gateway()
    await gateway.startup()
    monkeypatch.setattr(gateway.routes, "find", find)
    monkeypatch.setattr(gateway.posts, "take_in", take_in)
    scope = {
        "type": "http",
        "method": "POST",
        "path": EVENTS,
        "query_string": b"",
        "headers": [(b"host", b"k.env.localhost")],
    }
    await gateway(scope, receive, send)
    await gateway.shutdown()
    assert taken == [b"all"]
