"""How many tasks and people an interval of some width takes: the page, its tables and its plot. Nothing here changes anything."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from annotate.access import person_of
from annotate.errors import BadInput, NotFound
from annotate.models import Study
from tasks_admin import access
from tasks_admin.power import told
from tasks_admin.power.asked import PowerForm, begin
from tasks_admin.report.sheet import FORMATS
from tasks_admin.views.comparison import attachment, svg


def form_of(request: HttpRequest, study: Study) -> tuple[PowerForm, list[str]]:
    """The form with what was asked, and what was not as the study tells; in words where that is from."""
    first, sources = begin(study)
    return PowerForm(first | {name: str(value) for name, value in request.GET.items()}), sources


def valid(request: HttpRequest, slug: str) -> PowerForm:
    """The form, where everything in it can be. Raises NotFound and BadInput."""
    form, _ = form_of(request, access.load_study(person_of(request), slug))
    if not form.is_valid():
        name, faults = next(iter(form.errors.items()))
        raise BadInput(f"{form[name].label}: {faults[0]}" if name in form.fields else str(faults[0]))
    return form


@login_required
@require_GET
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """The form, and the answer to what it holds."""
    study = access.load_study(person_of(request), slug)
    form, sources = form_of(request, study)
    context: dict[str, Any] = {"study": study, "form": form, "sources": sources, "query": request.GET.urlencode()}
    if form.is_valid():
        asked = (form.expected, form.planned)
        target = form.cleaned_data["target"]
        sheets = told.everything(*asked, target)
        context |= {
            "target": target,
            "planned": form.planned,
            "answers": told.answers(*asked, target),
            "misfit": told.planned_words(form.planned),
            "unhelpful": told.unhelpful(*asked),
            "sheets": [(sheets[name], told.as_rows(sheets[name])) for name in ("by_tasks", "by_people")],
            "plot": told.plot(*asked, target),
        }
    return render(request, "tasks_admin/power.html", context, status=200 if form.is_valid() else 400)


@login_required
@require_GET
def table(request: HttpRequest, slug: str, name: str, kind: str) -> HttpResponse:
    """A table, or the plot's data, as CSV, JSON or LaTeX."""
    form = valid(request, slug)
    sheet = told.everything(form.expected, form.planned, form.cleaned_data["target"]).get(name)
    if sheet is None or kind not in FORMATS:
        raise NotFound
    write, content_type = FORMATS[kind]
    return attachment(write(sheet), f"{content_type}; charset=utf-8", f"{slug}-power-{name}.{kind}")


@login_required
@require_GET
def plot(request: HttpRequest, slug: str) -> HttpResponse:
    """The plot as SVG; `?as=file` to be kept."""
    form = valid(request, slug)
    found = told.plot(form.expected, form.planned, form.cleaned_data["target"])
    if found is None:
        raise NotFound
    return svg(found.document()["svg"], f"{slug}-power.svg" if request.GET.get("as") == "file" else "")
