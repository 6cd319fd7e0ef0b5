"""Making the report of a study: figures, tables, plots; as a job for the page, at once for the command."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.template.loader import render_to_string
from django.utils import timezone

from annotate import jobs
from annotate.actions import audit
from annotate.models import Person, Study
from recorder.errors import FootpathError
from recorder.version import SOFTWARE
from tasks_admin.comparison.figures import compute
from tasks_admin.comparison.frames import counting
from tasks_admin.comparison.mixed import mixed_models
from tasks_admin.comparison.tables import Tables
from tasks_admin.models import ComparisonReport
from tasks_admin.report.charts import all_charts
from tasks_admin.report.rows import ids_of
from tasks_admin.report.sheet import Sheet
from tasks_admin.report.sheets import all_sheets
from tasks_admin.report.study_tables import tables_of

KEPT = 5  # reports per study
LOST_AFTER = timedelta(minutes=30)  # a report that waits for longer was lost with its worker
UNFORESEEN = (
    "Something went wrong that should not; the server's log has it. Make it anew, or tell whoever runs Footpath."
)


def all_figures(tables: Tables) -> dict[str, Any]:
    """Every figure, the mixed models included."""
    return compute(tables) | {"mixed_model": mixed_models(counting(tables.attempts))}


def ask_for(study: Study, person: Person) -> ComparisonReport:
    """Have a report made; the one that is being made already, if there is one and its worker has not been lost."""
    lost = study.reports.filter(state="waiting", asked_at__lt=timezone.now() - LOST_AFTER)
    lost.update(state="failed", error="The worker that made it was lost.", made_at=timezone.now())
    try:
        with transaction.atomic():  # the race: two leads ask at once
            report = ComparisonReport.objects.create(study=study, actor=person)
            audit.note(study, person, "make comparison", f"report {report.pk}")
    except IntegrityError:
        return ComparisonReport.objects.get(study=study, state="waiting")
    transaction.on_commit(lambda: jobs.send("tasks_admin.tasks.make_report", report.pk))
    return report


def make(report_id: int) -> None:
    """Make a report that waits; what goes wrong with the data is kept as its error. Safe to run twice."""
    report = ComparisonReport.objects.select_related("study").filter(pk=report_id, state="waiting").first()
    if report is None:
        return
    try:
        tables = tables_of(report.study)
        figures = all_figures(tables)
        told = {
            "state": "done",
            "figures": figures,
            "sheets": [one.document() for one in all_sheets(figures)],
            "plots": [one.document() for one in all_charts(figures, tables)],
        }
    except FootpathError as error:
        told = {"state": "failed", "error": error.message}
    except Exception:
        end(report_id, {"state": "failed", "error": UNFORESEEN})
        raise
    end(report_id, told)
    keep = report.study.reports.values_list("pk", flat=True)[:KEPT]
    report.study.reports.exclude(pk__in=list(keep)).delete()


def end(report_id: int, told: dict[str, Any]) -> None:
    """Write how a waiting report ended; one that has ended meanwhile stays as it is."""
    ComparisonReport.objects.filter(pk=report_id, state="waiting").update(made_at=timezone.now(), **told)


def as_html(study: Study) -> str:
    """The report as one self-contained file, with the rows behind each line. Raises BadTable."""
    tables = tables_of(study)
    figures = all_figures(tables)
    sheets = all_sheets(figures)
    context = {
        "study": study.slug,
        "name": study.name,
        "software": SOFTWARE,
        "made_at": timezone.now(),
        "figures": figures,
        "sheets": [shown(one, tables) for one in sheets],
        "plots": [one.document() for one in all_charts(figures, tables)],
        "documents": [one.document() for one in sheets],
    }
    return render_to_string("tasks_admin/comparison_file.html", context)


def shown(sheet: Sheet, tables: Tables) -> dict[str, Any]:
    """A table with each line's cells and the ids of its rows."""
    lines = [
        {"cells": list(zip(cells, sheet.columns, strict=True)), "ids": ids_of(made_of, tables)}
        for cells, made_of in zip(sheet.shown(), sheet.made_of, strict=True)
    ]
    return {"sheet": sheet, "lines": lines}
