"""The references of a study: which attempt stands for each task-condition, why, and a lead's word against it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotate.access import person_of
from annotate.actions import references as choosing
from annotate.actions import replays
from annotate.errors import BadInput, NotFound
from annotate.references import POLICIES, policy_of
from tasks_admin import access, chosen

PAGE = 50


@login_required
@require_GET
def references(request: HttpRequest, slug: str) -> HttpResponse:
    """Every task-condition that somebody has completed, with its reference."""
    person = person_of(request)
    study = access.load_study(person, slug)
    page = Paginator(chosen.conditions(study), PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "page": page,
        "rows": chosen.rows(list(page.object_list)),
        "counts": chosen.counts(study),
        "verification": replays.verification(study),
        "policies": POLICIES.values(),
        "policy": policy_of(study.options),
        "may_change": study.roles.filter(person=person, role__in=["owner", "lead"]).exists(),
    }
    return render(request, "tasks_admin/references.html", context)


@login_required
@require_POST
def verify(request: HttpRequest, slug: str) -> HttpResponse:
    """Have everything replayed that passed and is not verified."""
    person = person_of(request)
    study = access.load_study_to_change(person, slug)
    count = replays.ask_for_unverified(study, person)
    messages.success(request, f"{count} attempts are replayed one after the other; this page shows how far that is.")
    return redirect("references", slug)


@login_required
@require_POST
def policy(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose by another policy from now on; what a lead overruled stays."""
    person = person_of(request)
    study = access.load_study_to_change(person, slug)
    name = request.POST.get("policy", "")
    count = choosing.choose_by(study, name, person)
    messages.success(request, f"Chosen anew by “{name}”: {count} task-conditions have a reference.")
    return redirect("references", slug)


@login_required
@require_POST
def overrule(request: HttpRequest, slug: str, condition_id: int) -> HttpResponse:
    """Have another attempt stand for a task-condition, or let the policy decide again."""
    person = person_of(request)
    study = access.load_study_to_change(person, slug)
    condition = study.task_conditions.filter(pk=condition_id).first()
    if condition is None:
        raise NotFound
    attempt = request.POST.get("attempt", "")
    if attempt == "policy":
        choosing.follow_policy(condition, person)
        messages.success(request, "The policy decides again.")
    elif attempt.isdecimal() and len(attempt) < 18:
        choosing.overrule(condition, int(attempt), request.POST.get("reason", ""), person)
        messages.success(request, "Your choice stands, with its reason.")
    else:
        raise BadInput("Choose an attempt.", "attempt")
    return redirect("references", slug)
