"""Bringing runs and labels in by the browser: the file, what is said of it, how far it is, what came of it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotate.access import person_of
from tasks_admin import access
from tasks_admin.models import Upload
from tasks_admin.paging import some
from tasks_admin.uploads import asked, shelf
from tasks_admin.uploads.forms import FORMS, MOST_GB, SaidForm, bringing
from tasks_admin.uploads.take_back import imports_of, is_taken_back

SHOWN = 20
WORDS = {Upload.Kind.RUNS: "agents' runs", Upload.Kind.LABELS: "labels"}


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def runs(request: HttpRequest, slug: str) -> HttpResponse:
    """Agents' runs: what was imported, and the form that brings more in."""
    return bring(request, slug, Upload.Kind.RUNS)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def judges_labels(request: HttpRequest, slug: str) -> HttpResponse:
    """Labels of judges and of people elsewhere, likewise."""
    return bring(request, slug, Upload.Kind.LABELS)


def bring(request: HttpRequest, slug: str, kind: Upload.Kind) -> HttpResponse:
    person = person_of(request)
    study = access.load_study(person, slug)
    form = bringing(kind)
    if request.method == "POST":
        study = access.load_study_to_change(person, slug)
        form = bringing(kind, request.POST, request.FILES)
        if form.is_valid():
            return redirect(
                "upload", slug, asked.bring_in(study, person, kind, form.cleaned_data["file"], form.said()).pk
            )
    context = {
        "study": study,
        "kind": kind,
        "form": form,
        "most_gb": MOST_GB,
        "may_change": access.may_decide(person, study),
        "uploads": study.uploads.filter(kind=kind).exclude(state="done")[:SHOWN],
        "page": Paginator(imports_of(study, kind), SHOWN).get_page(request.GET.get("page")),
        "run_count": some(study.runs.all()),
    }
    return render(request, "tasks_admin/bring_in.html", context, status=400 if form.errors else 200)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest, slug: str, upload_id: int) -> HttpResponse:
    """A file that was brought in: how far it is, what it asks, what came of it; POST says more of it."""
    person = person_of(request)
    found = access.load_upload(person, slug, upload_id)
    form = FORMS[found.kind](initial=found.given)
    if request.method == "POST":
        access.load_study_to_change(person, slug)
        form = FORMS[found.kind](request.POST)
        if form.is_valid():
            asked.say_more(found, person, form.said())
            return redirect("upload", slug, found.pk)
    context = {
        "study": found.study,
        "upload": found,
        "what": WORDS[Upload.Kind(found.kind)],
        "list": "runs" if found.kind == Upload.Kind.RUNS else "imported_labels",
        "form": form,
        "asked": [form[name] for name in found.told.get("asks", ()) if name in form.fields],
        "skip": found.told.get("asks", ()),
        "stage": stage(found),
        "taken_back": is_taken_back(found),
        "seconds": int((timezone.now() - found.sent_at).total_seconds()),
        "may_change": access.may_decide(person, found.study),
    }
    return render(request, "tasks_admin/upload.html", context, status=400 if has_errors(form) else 200)


def has_errors(form: SaidForm) -> bool:
    return form.is_bound and not form.is_valid()


def stage(found: Upload) -> str:
    """How far it is, in words."""
    rows = shelf.rows_of(found.pk)
    return f"{rows:,} rows read" if rows else "waiting for the worker" if not found.tries else "looking at the file"


@never_cache
@login_required
@require_GET
def status(request: HttpRequest, slug: str, upload_id: int) -> JsonResponse:
    """How far a file is, for the page that waits."""
    found = access.load_upload(person_of(request), slug, upload_id)
    told: dict[str, Any] = {"state": found.state, "stage": stage(found), "open": found.state == Upload.State.WAITING}
    return JsonResponse(told)


@login_required
@require_POST
def drop(request: HttpRequest, slug: str, upload_id: int) -> HttpResponse:
    """Remove a file that was brought in; what was imported of it stays."""
    person = person_of(request)
    access.load_study_to_change(person, slug)
    found = access.load_upload(person, slug, upload_id)
    asked.drop(found, person)
    messages.success(request, f"{found.name} is removed.")
    return redirect("runs" if found.kind == Upload.Kind.RUNS else "imported_labels", slug)
