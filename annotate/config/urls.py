"""Every route of the app. Recordings' own origins never come here."""

from __future__ import annotations

from typing import Any

from django.urls import URLPattern, URLResolver

urlpatterns: list[URLPattern | URLResolver] = []
websocket_urlpatterns: list[Any] = []
