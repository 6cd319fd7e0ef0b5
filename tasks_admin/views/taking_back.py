"""Taking an import back: what would go, and the act."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotate.access import person_of
from annotate.errors import BadInput
from recorder.errors import FootpathError
from tasks_admin import access
from tasks_admin.models import Upload
from tasks_admin.uploads.take_back import Changed, Goes, goes, take_back


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def runs(request: HttpRequest, slug: str, import_id: int) -> HttpResponse:
    """Of an import of runs."""
    return page(request, slug, Upload.Kind.RUNS, import_id)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def labels(request: HttpRequest, slug: str, import_id: int) -> HttpResponse:
    """Of an import of labels."""
    return page(request, slug, Upload.Kind.LABELS, import_id)


def page(request: HttpRequest, slug: str, kind: Upload.Kind, import_id: int) -> HttpResponse:
    person = person_of(request)
    study = access.load_study_to_change(person, slug)
    refused: FootpathError | None = None
    if request.method == "POST":
        seen, words_too = request.POST.get("seen", ""), request.POST.get("words_too") == "yes"
        try:
            gone = take_back(study, kind, import_id, person, words_too=words_too, seen=seen)
        except (BadInput, Changed) as error:
            refused = error
        else:
            messages.success(request, told(gone))
            return redirect("runs" if kind == Upload.Kind.RUNS else "imported_labels", slug)
    made = access.load_import(person, slug, kind, import_id)
    context = {"study": study, "kind": kind, "made": made, "goes": goes(made), "refused": refused}
    return render(request, "tasks_admin/take_back.html", context, status=refused.status if refused else 200)


def told(gone: Goes) -> str:
    """What went, in words."""
    labels = gone.judges + gone.words
    parts = [
        f"{number:,} {word}{'s' * (number != 1)}" for number, word in ((gone.runs, "run"), (labels, "label")) if number
    ]
    return f"Taken back: {' and '.join(parts) or 'the import, which had nothing left'}. The audit log has it."
