"""The control tab's WebSocket: its signs of life in, the round's present state out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.urls import re_path

from annotate import news
from annotate.access import load_round
from annotate.actions import rounds, time_limit
from annotate.control import snapshot
from annotate.models import Attempt, Person, Round
from recorder import news as recordings_news
from recorder.errors import FootpathError
from recorder.wire import storable

NOT_SIGNED_IN, NOT_FOUND = 4401, 4404


class RoundConsumer(AsyncJsonWebsocketConsumer):
    """`/ws/rounds/<id>/`. In: `{"tab": …}` every few seconds, with `"due": true` when time is up. Out: a snapshot at once, on
    news, and after each `in`."""

    person: Person | None = None
    tab: str = ""

    async def connect(self) -> None:
        user = self.scope.get("user")
        self.person = user if isinstance(user, Person) and user.is_active else None
        self.round_id = int(self.scope["url_route"]["kwargs"]["round_id"])
        self.listening: set[str] = set()
        self.recordings: list[int] = []
        await self.accept()
        if self.person is None:
            await self.close(NOT_SIGNED_IN)
            return
        await self._listen(news.group_of(self.round_id))
        await self._listen(recordings_news.GROUP)

    async def disconnect(self, code: int) -> None:
        for group in self.listening:
            await self.channel_layer.group_discard(group, self.channel_name)

    async def receive_json(self, content: Any, **kwargs: Any) -> None:
        if isinstance(content, dict) and isinstance(content.get("tab"), str):
            self.tab = storable(content["tab"][:40])
            await database_sync_to_async(rounds.seen_control)(self.round_id, self.tab)
            if content.get("due") is True:
                await database_sync_to_async(self._end_if)(time_limit.end_if_due)
        await self._tell()

    async def round_changed(self, message: dict[str, Any]) -> None:
        await self._tell()

    async def recordings_changed(self, message: dict[str, Any]) -> None:
        if set(self.recordings).isdisjoint(message["recordings"]):
            return
        await database_sync_to_async(self._end_if)(rounds.end_if_solved)
        await self._tell()

    async def _listen(self, group: str) -> None:
        if group not in self.listening:
            self.listening.add(group)
            await self.channel_layer.group_add(group, self.channel_name)

    async def _tell(self) -> None:
        if not await database_sync_to_async(self._still_in)():
            await self.close(NOT_SIGNED_IN)
            return
        try:
            state, self.recordings = await database_sync_to_async(self._read)()
        except FootpathError:
            await self.close(NOT_FOUND)
            return
        await self.send_json(state)

    def _still_in(self) -> bool:
        """False once the person has signed out or was deactivated."""
        session = self.scope["session"]
        signed_in = session.session_key is not None and session.exists(session.session_key)
        return (
            signed_in and self.person is not None and Person.objects.filter(pk=self.person.pk, is_active=True).exists()
        )

    def _end_if(self, end: Callable[[Round], bool]) -> None:
        """The page has shown success, or the tab says that time is up: the attempt ends by itself, if it is so."""
        if self.person is None:
            return
        try:
            end(load_round(self.person, self.round_id))
        except FootpathError:
            return  # the round has moved on meanwhile, or is no longer theirs; `_tell` says what is

    def _read(self) -> tuple[dict[str, Any], list[int]]:
        assert self.person is not None
        round_ = load_round(self.person, self.round_id)
        attempts = Attempt.objects.filter(round=round_, recording__isnull=False)
        return snapshot(round_, self.tab), list(attempts.values_list("recording_id", flat=True))


websocket_urlpatterns = [re_path(r"^ws/rounds/(?P<round_id>\d+)/$", RoundConsumer.as_asgi())]
