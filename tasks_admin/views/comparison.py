"""People against agents: the newest report, its tables and plots to take away, and the rows behind a line."""

from __future__ import annotations

from itertools import islice
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotate.access import person_of
from annotate.errors import NotFound
from annotate.models import Study
from tasks_admin import access
from tasks_admin.models import ComparisonReport
from tasks_admin.report import job
from tasks_admin.report.rows import rows_of
from tasks_admin.report.sheet import FORMATS, Column, Sheet
from tasks_admin.uploads.take_back import taken_back_since

PAGE = 100
LINES = 40  # of a table on the page; its files have all
STAGE = "The worker is making it"


def newest(study: Study, state: str) -> ComparisonReport | None:
    return study.reports.filter(state=state).defer("figures").first()


def newest_done(study: Study) -> ComparisonReport:
    report = newest(study, "done")
    if report is None:
        raise NotFound
    return report


@login_required
@require_GET
def comparison(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest report, and whether one is being made."""
    person = person_of(request)
    study = access.load_study(person, slug)
    report, last = newest(study, "done"), study.reports.defer("figures", "sheets", "plots").first()
    sheets = [Sheet.of(told) for told in report.sheets] if report else []
    context: dict[str, Any] = {
        "study": study,
        "report": report,
        "sheets": [(one, list(islice(zip(one.shown(), one.made_of, strict=True), LINES))) for one in sheets],
        "most_lines": LINES,
        "plots": [{name: one.get(name) for name in ("name", "title", "words", "made_of")} for one in report.plots]
        if report
        else [],
        "waiting": last is not None and last.state == "waiting",
        "seconds": int((timezone.now() - last.asked_at).total_seconds()) if last else 0,
        "failed": last if last is not None and last.state == "failed" else None,
        "stage": STAGE,
        "taken_back": taken_back_since(study, report.asked_at) if report else [],
        "may_change": access.may_decide(person, study),
        "run_count": study.runs.count(),
    }
    return render(request, "tasks_admin/comparison.html", context)


@never_cache
@login_required
@require_GET
def status(request: HttpRequest, slug: str) -> JsonResponse:
    """Whether a report is being made, for the page that waits."""
    study = access.load_study(person_of(request), slug)
    return JsonResponse({"open": study.reports.filter(state="waiting").exists(), "stage": STAGE})


@login_required
@require_POST
def make(request: HttpRequest, slug: str) -> HttpResponse:
    """Have the report made anew."""
    person = person_of(request)
    job.ask_for(access.load_study_to_change(person, slug), person)
    return redirect("comparison", slug)


@login_required
@require_GET
def sheet_file(request: HttpRequest, slug: str, name: str, kind: str) -> HttpResponse:
    """A table of the newest report as CSV, JSON or LaTeX."""
    report = newest_done(access.load_study(person_of(request), slug))
    told = next((one for one in report.sheets if one["name"] == name), None)
    if told is None or kind not in FORMATS:
        raise NotFound
    write, content_type = FORMATS[kind]
    return attachment(write(Sheet.of(told)), f"{content_type}; charset=utf-8", f"{slug}-{name}.{kind}")


@login_required
@require_GET
def plot(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """A plot of the newest report: SVG to be shown, `?as=file` to be kept, `?as=data` the data behind it."""
    report = newest_done(access.load_study(person_of(request), slug))
    told = next((one for one in report.plots if one["name"] == name), None)
    if told is None:
        raise NotFound
    if request.GET.get("as") == "data":
        return data_of(told, slug)
    return svg(told["svg"], f"{slug}-{name}.svg" if request.GET.get("as") == "file" else "")


def svg(text: str, keep_as: str = "") -> HttpResponse:
    """An SVG to be shown, or to be kept under a name."""
    response = HttpResponse(text, content_type="image/svg+xml; charset=utf-8")
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'"
    if keep_as:
        response["Content-Disposition"] = f'attachment; filename="{keep_as}"'
    return response


def data_of(told: dict[str, Any], slug: str) -> HttpResponse:
    table = Sheet(
        told["name"], told["title"], told["words"], [Column(name, name) for name in told["columns"]], told["data"]
    )
    return attachment(FORMATS["csv"][0](table), "text/csv; charset=utf-8", f"{slug}-{told['name']}.csv")


def attachment(text: str, content_type: str, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@login_required
@require_http_methods(["GET"])
def rows(request: HttpRequest, slug: str) -> HttpResponse:
    """The rows that a line of the report was made of, as they are now."""
    study = access.load_study(person_of(request), slug)
    asked = {name: str(value) for name, value in request.GET.items()}
    of, found = rows_of(study, asked)
    page = Paginator(found, PAGE).get_page(asked.get("page"))
    fields = {name: value for name, value in asked.items() if name not in ("of", "page")}
    return render(
        request, "tasks_admin/comparison_rows.html", {"study": study, "of": of, "page": page, "fields": fields}
    )
