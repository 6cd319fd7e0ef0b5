"""News of recordings: one message for all that changed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from recorder import news


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    monkeypatch.setattr(news.SENDER, "send", lambda group, message: found.append((group, message["recordings"])))
    return found


async def test_many_changes_are_told_at_once(sent: list[tuple[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news, "GAP_S", 0.05)
    told = news.News()
    told.use_loop(asyncio.get_running_loop())
    for recording in (3, 1, 3, 2):
        told.publish([recording])
    while not sent:
        await asyncio.sleep(0)
    assert sent == [(news.GROUP, [1, 2, 3])]
    told.publish([4])
    told.publish([5, 4])
    while len(sent) < 2:
        await asyncio.sleep(0.001)
    assert sent[1:] == [(news.GROUP, [4, 5])]


def test_a_message_names_no_more_than_it_can_hold(sent: list[tuple[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news, "MOST", 2)
    news.send([1, 2, 3])
    assert [recordings for _, recordings in sent] == [[1, 2], [3]]
