"""The lead's list of attempts."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotate.access import person_of
from annotate.errors import BadInput
from annotate.models import Attempt, Flag, Study
from annotate.models.catalogue import Difficulty
from tasks_admin import access, filmstrip
from tasks_admin.paging import FirstRows
from tasks_admin.progress import environments_of

FILTERS = {
    "environment": "round__assignment__task_condition__task__environment__slug",
    "difficulty": "round__assignment__task_condition__task__difficulty",
    "condition": "round__assignment__task_condition__condition",
    "person": "round__participation__code",
    "attempt": "kind",
    "state": "round__state",
}


def _filtered(request: HttpRequest, found: Study) -> tuple[QuerySet[Attempt], dict[str, str]]:
    chosen = {name: request.GET[name] for name in FILTERS if request.GET.get(name)}
    if any("\x00" in value for value in chosen.values()):
        raise BadInput("A filter holds a character that no text can hold.")
    attempts = access.attempts_of(found).filter(**{FILTERS[name]: value for name, value in chosen.items()})
    if request.GET.get("flagged"):
        chosen["flagged"] = "1"
        attempts = attempts.filter(round__in=Flag.objects.filter(lifted_at=None).values("round"))
    return attempts, chosen


HEAVY = ("verdict", "backend_record", "proof")  # what no row of the list shows


@login_required
@require_GET
def attempts(request: HttpRequest, slug: str) -> HttpResponse:
    """The study's attempts, newest first, as many as FirstRows lists; filters live in the address."""
    found = access.load_study(person_of(request), slug)
    rows, chosen = _filtered(request, found)
    flags = Prefetch("round__flags", queryset=Flag.objects.filter(lifted_at=None))
    listed = rows.order_by("-pk").defer(*HEAVY).prefetch_related(flags)
    page = FirstRows(listed, 50).get_page(request.GET.get("page"))
    pills = filmstrip.pills(list(page.object_list))
    context = {
        "study": found,
        "page": page,
        "rows": [(attempt, pills.get(attempt.pk)) for attempt in page.object_list],
        "chosen": chosen,
        "environments": environments_of(found),
        "levels": Difficulty.values,
        "codes": found.participations.order_by("code").values_list("code", flat=True),
        "states": ["preparing", "cold", "between", "warm", "complete", "rolled_back", "abandoned", "void"],
    }
    return render(request, "tasks_admin/attempts.html", context)
