"""The environments of a study, as a lead sees them: up or down, since when, how fast, what they said last."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotate import health
from annotate.access import person_of
from annotate.errors import NotFound
from annotate.models import Environment
from tasks_admin import access


@never_cache
@login_required
@require_GET
def environments(request: HttpRequest, slug: str) -> HttpResponse:
    """Each environment's state."""
    study = access.load_study(person_of(request), slug)
    return render(request, "tasks_admin/environments.html", {"study": study, "states": health.of_study(study)})


@login_required
@require_POST
def look(request: HttpRequest, slug: str, environment_id: int) -> HttpResponse:
    """Look at one now."""
    study = access.load_study(person_of(request), slug)
    found = Environment.objects.filter(tasks__conditions__study=study, pk=environment_id).first()
    if found is None:
        raise NotFound
    health.probe(found)
    return redirect("environments", slug=slug)
