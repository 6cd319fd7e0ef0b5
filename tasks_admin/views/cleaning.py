"""The page about a study's cleaners: what each made of it, clean it by another, choose whose counts the figures use."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotate.access import person_of
from annotate.actions import cleanings
from annotate.errors import BadInput
from tasks_admin import access


@login_required
@require_http_methods(["GET", "POST"])
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """GET shows the results; POST with `clean` or `use` (a cleaner's name) starts a job or adopts its counts."""
    person = person_of(request)
    if request.method == "POST":
        study = access.load_study_to_change(person, slug)
        if name := request.POST.get("clean"):
            cleanings.ask_for(study, name, person)
            messages.success(request, f"The worker cleans the study by {name}. This page shows how far it is.")
        elif name := request.POST.get("use"):
            count = cleanings.adopt(study, name, person)
            messages.success(request, f"The figures now use {name}: {count} attempts. The other results are kept.")
        else:
            raise BadInput("Say which cleaner: 'clean' or 'use' with its name.")
        return redirect("cleaning", slug)
    study = access.load_study(person, slug)
    may_change = study.roles.filter(person=person, role__in=["owner", "lead"]).exists()
    context = {"study": study, "results": cleanings.results(study), "may_change": may_change}
    return render(request, "tasks_admin/cleaning.html", context)
