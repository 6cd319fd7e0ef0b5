"""What may leave the house: texts, pictures and captures to clear or withhold, and the masks of exports."""

from __future__ import annotations

from datetime import UTC, datetime

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotate.access import person_of
from annotate.errors import BadInput
from annotate.models import Study
from tasks_admin import access
from tasks_admin.release import actions, captured, items, seen

PAGE = 25
STEPS = 24  # a page of pictures
CAPTURES = 10  # a page of captures: each is looked through


@login_required
@require_GET
def release(request: HttpRequest, slug: str) -> HttpResponse:
    """The texts of one kind and state, a page at a time."""
    person, as_of = person_of(request), timezone.now()
    study = access.load_study(person, slug)
    kind = request.GET.get("kind", "comment")
    state = request.GET.get("state", "open")
    if kind not in items.SOURCES or state not in (*items.STATES, "all"):
        raise BadInput("There is no such kind or state of text.")
    page = Paginator(items.rows(study, kind, state), PAGE).get_page(request.GET.get("page"))
    names = items.names_in(study)
    masks = study.options.get("masks") or {}
    context = {
        "study": study,
        "kind": kind,
        "state": state,
        "states": [*items.STATES, "all"],
        "counts": items.counts(study),
        "page": page,
        "items": [items.item_of(kind, row, names) for row in page.object_list],
        "texts": "\n".join(masks.get("texts", [])),
        "parameters": "\n".join(masks.get("parameters", [])),
        "may_change": access.may_decide(person, study),
        "as_of": as_of,
    }
    return render(request, "tasks_admin/release.html", context)


@login_required
@require_GET
def pictures(request: HttpRequest, slug: str) -> HttpResponse:
    """The pictures of replays in one state, by attempt, the steps of a page at a time."""
    person, as_of = person_of(request), timezone.now()
    study = access.load_study(person, slug)
    state = request.GET.get("state", "open")
    if state not in (*items.STATES, "all"):
        raise BadInput("There is no such state of pictures.")
    page = Paginator(seen.steps_in(study, state), STEPS).get_page(request.GET.get("page"))
    attempts = seen.shown(study, list(page.object_list), state)
    context = {
        "study": study,
        "state": state,
        "states": [*items.STATES, "all"],
        "counts": items.counts(study),
        "page": page,
        "attempts": attempts,
        "chosen": [shown.picture.pk for one in attempts for shown in one.pictures],
        "may_change": access.may_decide(person, study),
        "as_of": as_of,
    }
    return render(request, "tasks_admin/release_pictures.html", context)


@login_required
@require_GET
def captures(request: HttpRequest, slug: str) -> HttpResponse:
    """The captures of attempts in one state, a page at a time."""
    person, as_of = person_of(request), timezone.now()
    study = access.load_study(person, slug)
    state = request.GET.get("state", "open")
    if state not in (*items.STATES, "all"):
        raise BadInput("There is no such state of captures.")
    page = Paginator(items.rows(study, "capture", state), CAPTURES).get_page(request.GET.get("page"))
    names = items.names_in(study)
    context = {
        "study": study,
        "state": state,
        "states": [*items.STATES, "all"],
        "counts": items.counts(study),
        "page": page,
        "items": [captured.item_of(attempt, names) for attempt in page.object_list],
        "may_change": access.may_decide(person, study),
        "as_of": as_of,
    }
    return render(request, "tasks_admin/release_captures.html", context)


@login_required
@require_POST
def decide(request: HttpRequest, slug: str) -> HttpResponse:
    """Clear or withhold what was chosen."""
    person = person_of(request)
    study = access.load_study_to_change(person, slug)
    kind, act = request.POST.get("kind", ""), request.POST.get("act")
    if act not in ("clear", "withhold"):
        raise BadInput("Say whether to clear or to withhold.")
    told = ",".join(request.POST.getlist("chosen")).split(",")  # a box may stand for several
    chosen = [int(one) for one in told if one.isdigit() and len(one) < 19]
    as_of = _moment(request.POST.get("as_of", ""))
    number = actions.decide(study, person, kind, chosen, cleared=act == "clear", as_of=as_of)
    done = "may leave the house now" if act == "clear" else "are withheld" if number != 1 else "is withheld"
    what = kind if kind in ("picture", "capture") else "text"
    recalled = "" if act == "clear" else in_exports(study, kind, chosen)
    messages.success(request, f"{number} {what}{'s' * (number != 1)} {done}.{recalled}")
    if what == kind:
        return redirect(f"release_{kind}s", slug)
    return redirect(f"{reverse('release', args=[slug])}?kind={kind}")


def in_exports(study: Study, kind: str, chosen: list[int]) -> str:
    """What is to be said of the finished exports that hold what was withheld; "" where none does."""
    holding = study.exports.filter(state="done", clearances__kind=kind, clearances__item__in=chosen).distinct().count()
    if not holding:
        return ""
    them = "it" if len(chosen) == 1 else "some of them"
    what = f"1 export holds {them} and is" if holding == 1 else f"{holding} exports hold {them} and are"
    return f" {what} not given out any more."


def _moment(told: str) -> datetime:
    """When the page was made from which somebody decides. Raises BadInput."""
    try:
        return datetime.fromisoformat(told).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadInput("The form does not say when its page was made; reload the page.", "as_of") from error


@login_required
@require_POST
def masks(request: HttpRequest, slug: str) -> HttpResponse:
    """Replace the masks by what the form says, a pattern or parameter a line."""
    person = person_of(request)
    study = access.load_study_to_change(person, slug)
    texts, parameters = (
        [line.strip() for line in request.POST.get(name, "").splitlines() if line.strip()]
        for name in ("texts", "parameters")
    )
    actions.set_masks(study, person, texts, parameters)
    messages.success(request, "The masks are kept; the next export uses them.")
    return redirect("release", slug)
