"""Every route of the app. Recordings' own origins never come here."""

from __future__ import annotations

from django.urls import include, path

from annotate.consumers import websocket_urlpatterns

__all__ = ["urlpatterns", "websocket_urlpatterns"]

urlpatterns = [
    path("", include("annotate.urls")),
    path("studies/", include("tasks_admin.urls")),
]
