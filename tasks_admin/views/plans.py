"""The plan page: find a plan, look at it, take it as a file, apply it; in a running study, the same for its open rest."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotate import designs
from annotate.access import person_of
from annotate.actions import apply_plan, plans
from annotate.design.model import Plan, read_design
from annotate.errors import NotFound
from annotate.models import PlanDraft, Study
from annotate.models.catalogue import Difficulty
from recorder.wire import storable
from tasks_admin import access
from tasks_admin.studies import hours, plan_files, plan_page
from tasks_admin.studies.sections import SECTIONS

FILES = {"json": ("application/json", plan_files.as_json), "csv": ("text/csv; charset=utf-8", plan_files.as_csv)}


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def plan(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest plan; POST has the worker look for one."""
    person = person_of(request)
    if request.method == "POST":
        study = access.load_study_to_change(person, slug)
        plans.ask_for(study, person)
        return redirect("plan", study.slug)
    study = access.load_study(person, slug)
    return show(request, study, study.plans.order_by("-number").first())


@never_cache
@login_required
@require_GET
def earlier(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A plan of some number; each is kept as it was found."""
    study = access.load_study(person_of(request), slug)
    return show(request, study, load(study, number))


def load(study: Study, number: int) -> PlanDraft:
    """A plan of the study. Raises NotFound."""
    draft = study.plans.filter(number=number).first()
    if draft is None:
        raise NotFound
    return draft


def show(request: HttpRequest, study: Study, draft: PlanDraft | None) -> HttpResponse:
    context: dict[str, Any] = {
        "study": study,
        "sections": SECTIONS.values(),
        "is_draft": study.state == Study.State.DRAFT,
        "may_change": access.may_decide(person_of(request), study),
        "numbers": study.plans.order_by("-number").values_list("number", flat=True)[:20],
        **standing(study, draft),
    }
    found = plans.plan_of(draft) if draft else None
    if draft is not None and found is not None:
        context |= conflicts(found) if found.status == "infeasible" else details(study, draft, found)
        context["person"] = one_person(found, request.GET.get("person", ""))
    return render(request, "tasks_admin/plan.html", context)


def standing(study: Study, draft: PlanDraft | None) -> dict[str, Any]:
    """The draft, whether the design is still its own, or why the design can't be planned at all."""
    present, fault = plans.present_hash(study)
    if draft is None:
        return {"draft": None, "fault": fault}
    is_current = fits(draft, study) and present == draft.design_hash
    running = draft.state in PlanDraft.OPEN
    seconds = round((timezone.now() - draft.created_at).total_seconds()) if running else 0
    return {"draft": draft, "fault": fault, "is_current": is_current, "running": running, "seconds": seconds}


def fits(draft: PlanDraft, study: Study) -> bool:
    """True where the draft is of the kind that the study's state asks for."""
    wanted = {Study.State.DRAFT: PlanDraft.Kind.PLAN, Study.State.FROZEN: PlanDraft.Kind.REPLAN}
    return wanted.get(Study.State(study.state)) == draft.kind


def conflicts(found: Plan) -> dict[str, Any]:
    return {"conflicts": [(sentence, *plan_page.remedy(sentence)) for sentence in found.conflicts]}


def details(study: Study, draft: PlanDraft, found: Plan) -> dict[str, Any]:
    """What is shown of a plan that exists."""
    design = read_design(draft.design)
    pace = hours.pace_of(study, designs.kept_of(study))
    by_code = hours.hours_of(design, list(found.assignments), hours.steps_of(draft.tasks), pace)
    people = plan_page.people_rows(design, found, by_code)
    again = plan_page.duplicate_rows(found)
    return {
        "plan": found,
        "pace": pace,
        "people": people,
        "hours": sum(by_code.values()),
        "levels": Difficulty.values,
        "cells": plan_page.cell_rows(found, [row.code for row in people]),
        "duplicates": again[: plan_page.MOST],
        "more_duplicates": max(len(again) - plan_page.MOST, 0),
        "hands": plan_page.hands(draft, found, by_code),
        "changes": draft.changes[: plan_page.MOST],
        "more_changes": max(len(draft.changes) - plan_page.MOST, 0),
    }


def one_person(found: Plan, code: str) -> dict[str, Any] | None:
    """A person's list in the order of work, where one was asked for."""
    own = plan_page.of_people(found.assignments).get(code, [])
    if not own:
        return None
    return {"code": code, "rows": own[: plan_page.MOST], "more": max(len(own) - plan_page.MOST, 0)}


@never_cache
@login_required
@require_GET
def status(request: HttpRequest, slug: str, number: int) -> JsonResponse:
    """How far the search is, for the page that waits."""
    draft = load(access.load_study(person_of(request), slug), number)
    return JsonResponse({"state": draft.state, "stage": draft.stage, "open": draft.state in PlanDraft.OPEN})


@login_required
@require_GET
def download(request: HttpRequest, slug: str, number: int, kind: str) -> HttpResponse:
    """The plan as a file."""
    study = access.load_study(person_of(request), slug)
    found = plans.plan_of(load(study, number))
    if found is None or kind not in FILES:
        raise NotFound
    media_type, write = FILES[kind]
    response = HttpResponse(write(found), content_type=media_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{study.slug}-plan-{number}.{kind}"'
    return response


@login_required
@require_POST
def apply(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Write a draft's assignments, or move a running study's open ones; the latter with a reason."""
    person = person_of(request)
    draft = load(access.load_study_to_change(person, slug), number)
    if draft.kind == PlanDraft.Kind.PLAN:
        count = apply_plan.apply_plan(draft, person)
        messages.success(request, f"The plan is applied: {count} assignments are written. Freezing lets people begin.")
        return redirect("study_state", slug)
    count = apply_plan.apply_replan(draft, person, storable(request.POST.get("reason", "")))
    messages.success(request, f"Applied: {count} assignments have changed hands.")
    return redirect("plan", slug)
