"""The lead's pages of how far a study is: all studies, one study, and who is recording now."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotate import health, tallies
from annotate.access import person_of
from annotate.models.catalogue import Difficulty
from tasks_admin import access, live, progress, rooms
from tasks_admin.studies.create import may_create

PEOPLE = 60  # rows a page


@login_required
@require_GET
def studies(request: HttpRequest) -> HttpResponse:
    """The studies in which the person has a role."""
    person = person_of(request)
    cards = progress.cards(list(access.studies_of(person)[:50]))
    return render(request, "tasks_admin/studies.html", {"cards": cards, "may_create": may_create(person)})


@never_cache
@login_required
@require_GET
def study(request: HttpRequest, slug: str) -> HttpResponse:
    """Where the study stands. The heat map's filters live in the address: environment, condition, role."""
    person = person_of(request)
    found = access.load_study(person, slug)
    body, at = tallies.of(found)
    role = request.GET.get("role", "") if request.GET.get("role") in progress.ROLES else "primary"
    chosen = {name: request.GET[name] for name in ("environment", "condition") if request.GET.get(name)}
    page = Paginator(found.participations.order_by("code"), PEOPLE).get_page(request.GET.get("people"))
    context = {
        "study": found,
        "body": body,
        "at": at,
        "heat": progress.heat_map(body, role, chosen),
        "role": role,
        "roles": sorted({one["role"] for one in body["cells"]}, reverse=True),
        "chosen": chosen,
        "environments": sorted({one["environment"] for one in body["cells"]}),
        "levels": Difficulty.values,
        "page": page,
        "people": progress.people(body, list(page.object_list)),
        "end": progress.expected_end(body),
        "now": live.rows(found),
        "down": health.down_in(found),
        "rooms": rooms.rooms_of(found, body, page.paginator.count, may_decide=access.may_decide(person, found)),
    }
    return render(request, "tasks_admin/study.html", context)


@never_cache
@login_required
@require_GET
def now(request: HttpRequest, slug: str) -> HttpResponse:
    """The part of the study page that keeps itself up to date."""
    found = access.load_study(person_of(request), slug)
    return render(request, "tasks_admin/now.html", {"study": found, "now": live.rows(found)})
