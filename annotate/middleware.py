"""Headers of every page, and domain errors turned into pages that say what to do."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme

from annotate import locale
from annotate.models import Person
from recorder.errors import FootpathError

GetResponse = Callable[[HttpRequest], HttpResponse]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class ContentSecurityPolicy:
    """Own scripts and styles only; no inline script; nothing from other servers."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class OwnClock:
    """Times on a signed-in person's pages are in their time zone, written in their way."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        if not isinstance(user, Person):
            return self.get_response(request)
        with locale.reading(user.time_zone, user.language):
            return self.get_response(request)


class DomainErrors:
    """A FootpathError that a view raises becomes a page (or JSON under /api/) with its status, code and message."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, FootpathError):
            return None
        if request.path.startswith("/api/"):
            return JsonResponse({"code": error.code, "message": error.message, **error.data}, status=error.status)
        return render(request, "problem.html", {"error": error, "back": page_before(request)}, status=error.status)


def page_before(request: HttpRequest) -> str:
    """The page of ours that asked for this one, so that somebody can look again; "" where there is none."""
    before = request.headers.get("Referer", "")
    ours = url_has_allowed_host_and_scheme(before, {request.get_host()}, require_https=request.is_secure())
    again = request.method == "GET" and before == request.build_absolute_uri()
    return before if before and ours and not again else ""
