"""The audit log of a study: everything its leads did, searchable, as a file to keep."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotate.access import person_of
from annotate.errors import NotFound
from tasks_admin import access, sheets
from tasks_admin.review import log

PAGE = 50


@login_required
@require_GET
def audit(request: HttpRequest, slug: str) -> HttpResponse:
    """The log, newest first; filters live in the address."""
    study = access.load_study(person_of(request), slug)
    chosen = log.chosen_of(request.GET.dict())
    context = {
        "study": study,
        "chosen": chosen,
        "filters": urlencode(chosen),
        "page": Paginator(log.entries(study, chosen), PAGE).get_page(request.GET.get("page")),
        "actors": log.actors(study),
        "actions": log.actions(study),
    }
    return render(request, "tasks_admin/audit.html", context)


@login_required
@require_GET
def audit_file(request: HttpRequest, slug: str, kind: str) -> HttpResponseBase:
    """What fits the filters as CSV or JSON, oldest first."""
    study = access.load_study(person_of(request), slug)
    if kind not in ("csv", "json"):
        raise NotFound
    found = log.entries(study, log.chosen_of(request.GET.dict()))
    return sheets.download(f"{study.slug}-audit", kind, log.COLUMNS, log.rows(found))
