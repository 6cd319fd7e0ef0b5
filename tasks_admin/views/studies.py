"""The lead's pages of a study: progress and attempts."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotate import health
from annotate.access import person_of
from annotate.errors import BadInput
from annotate.models import Attempt, Study
from annotate.models.catalogue import Difficulty
from tasks_admin import access, filmstrip, progress

FILTERS = {
    "environment": "round__assignment__task_condition__task__environment__slug",
    "difficulty": "round__assignment__task_condition__task__difficulty",
    "condition": "round__assignment__task_condition__condition",
    "person": "round__participation__code",
    "attempt": "kind",
    "state": "round__state",
}


@login_required
@require_GET
def studies(request: HttpRequest) -> HttpResponse:
    """The studies in which the person has a role."""
    cards = [(study, progress.summary(study)) for study in access.studies_of(person_of(request))[:50]]
    return render(request, "tasks_admin/studies.html", {"cards": cards})


@login_required
@require_GET
def study(request: HttpRequest, slug: str) -> HttpResponse:
    """Where the study stands."""
    found = access.load_study(person_of(request), slug)
    context = {
        "study": found,
        "summary": progress.summary(found),
        "heat": progress.heat_map(found),
        "levels": Difficulty.values,
        "people": progress.people(found),
        "now": progress.now_recording(found)[:50],
        "down": [state for state in health.of_study(found) if state.ok is False],
    }
    return render(request, "tasks_admin/study.html", context)


def _filtered(request: HttpRequest, found: Study) -> tuple[QuerySet[Attempt], dict[str, str]]:
    chosen = {name: request.GET[name] for name in FILTERS if request.GET.get(name)}
    if any("\x00" in value for value in chosen.values()):
        raise BadInput("A filter holds a character that no text can hold.")
    attempts = access.attempts_of(found).filter(**{FILTERS[name]: value for name, value in chosen.items()})
    if request.GET.get("flagged"):
        chosen["flagged"] = "1"
        attempts = attempts.filter(round__flags__isnull=False).distinct()
    return attempts, chosen


@login_required
@require_GET
def attempts(request: HttpRequest, slug: str) -> HttpResponse:
    """The study's attempts, newest first; filters live in the address."""
    found = access.load_study(person_of(request), slug)
    rows, chosen = _filtered(request, found)
    page = Paginator(rows.order_by("-pk").prefetch_related("round__flags"), 50).get_page(request.GET.get("page"))
    pills = filmstrip.pills(list(page.object_list))
    conditions = found.task_conditions.values_list("task__environment__slug", flat=True)
    context = {
        "study": found,
        "page": page,
        "rows": [(attempt, pills.get(attempt.pk)) for attempt in page.object_list],
        "chosen": chosen,
        "environments": sorted(set(conditions)),
        "levels": Difficulty.values,
        "codes": found.participations.order_by("code").values_list("code", flat=True),
        "states": ["preparing", "cold", "between", "warm", "complete", "rolled_back", "abandoned", "void"],
    }
    return render(request, "tasks_admin/attempts.html", context)
