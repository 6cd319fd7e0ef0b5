"""The attempt viewer, and what its page asks for while one scrolls."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_GET

from annotate.access import person_of
from annotate.errors import BadInput, NotFound
from tasks_admin import access, filmstrip
from tasks_admin.viewer import seen as viewing
from tasks_admin.viewer.lists import FIRST, KINDS, MOST, Lists
from tasks_admin.viewer.page import number, page_of

# Of a captured page nothing is loaded and nothing runs: what it shows is in the capture. Styles are inline in it.
SEEN_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; font-src data:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)


@login_required
@require_GET
def attempt(request: HttpRequest, slug: str, attempt_id: int) -> HttpResponse:
    """One attempt: verdict, timeline, steps, events, requests, rating, and the others on the task beside it."""
    person = person_of(request)
    study = access.load_study(person, slug)
    found = access.load_attempt(person, slug, attempt_id)
    return render(request, "tasks_admin/attempt.html", page_of(study, found, person, request.GET.dict()))


@login_required
@require_GET
def rows(request: HttpRequest, slug: str, attempt_id: int, kind: str) -> HttpResponse:
    """Rows of a list: `from` and `count`; or the piece around a raw event (`raw`) or a time (`at`, ms), whose place it tells."""
    lists = Lists(access.load_attempt(person_of(request), slug, attempt_id))
    if kind not in KINDS:
        raise NotFound
    first, count, place = number(request.GET.get("from")), number(request.GET.get("count")) or FIRST, None
    if "raw" in request.GET or "at" in request.GET:
        raw = number(request.GET["raw"]) if "raw" in request.GET else None
        place = lists.place(kind, raw=raw, at=float(number(request.GET.get("at"))))
        first = max(0, (place or 0) - count // 2)
    if count > MOST:
        raise BadInput(f"At most {MOST} rows at once.", "count")
    answer = {"total": lists.total(kind), "first": first, "place": place, "rows": lists.piece(kind, first, count)}
    return JsonResponse(answer)


@login_required
@require_GET
def event(request: HttpRequest, slug: str, attempt_id: int, index: int) -> HttpResponse:
    """A whole raw event, as it is kept."""
    lists = Lists(access.load_attempt(person_of(request), slug, attempt_id))
    if not 0 <= index < lists.total("raw"):
        raise NotFound
    return JsonResponse(lists.raw_event(index), json_dumps_params={"ensure_ascii": False, "indent": 2})


@login_required
@require_GET
def frames(request: HttpRequest, slug: str, attempt_id: int) -> HttpResponse:
    """The pictures of the newest replay, a frame per step: {index, before, outcome}."""
    found = access.load_attempt(person_of(request), slug, attempt_id)
    return JsonResponse({"frames": filmstrip.pictures_of(found)})


@login_required
@require_GET
@xframe_options_sameorigin
def seen(request: HttpRequest, slug: str, attempt_id: int) -> HttpResponse:
    """The player of what the person saw, for a frame of the attempt page."""
    found = access.load_attempt(person_of(request), slug, attempt_id)
    shown = viewing.seen_of(found.recording)
    if found.recording is None or shown.why:
        raise NotFound
    context = {"study": found.round.participation.study, "attempt": found, "seen": shown}
    context["in_front"] = viewing.tabs_in_front(found.recording)
    reply = render(request, "tasks_admin/attempt/seen.html", context)
    reply.headers["Content-Security-Policy"] = SEEN_POLICY
    return reply


@login_required
@require_GET
def seen_piece(request: HttpRequest, slug: str, attempt_id: int, page_id: int, n: int) -> HttpResponse:
    """A piece of a captured page, or those up to `to`: rrweb's events, one a line."""
    recording = access.load_attempt(person_of(request), slug, attempt_id).recording
    last = max(n, number(request.GET.get("to")))
    text = viewing.events_between(recording, page_id, n, last) if recording else None
    if text is None:
        raise NotFound
    return HttpResponse(text, content_type="application/x-ndjson")
