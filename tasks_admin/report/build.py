"""What a study's report is made of: every figure; and the report as one file, for the command."""

from __future__ import annotations

from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone

from annotate.models import Study
from recorder.version import SOFTWARE
from tasks_admin.comparison.figures import compute
from tasks_admin.comparison.frames import counting
from tasks_admin.comparison.mixed import mixed_models
from tasks_admin.comparison.tables import Tables
from tasks_admin.report.charts import all_charts
from tasks_admin.report.plot import Plot
from tasks_admin.report.rows import ids_of
from tasks_admin.report.sheet import Sheet
from tasks_admin.report.sheets import all_sheets
from tasks_admin.report.study_tables import tables_of


def all_figures(tables: Tables) -> dict[str, Any]:
    """Every figure, the mixed models included."""
    return compute(tables) | {"mixed_model": mixed_models(counting(tables))}


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
        "plots": [plotted(one, tables) for one in all_charts(figures, tables)],
        "documents": [one.document() for one in sheets],
    }
    return render_to_string("tasks_admin/comparison_file.html", context)


def plotted(plot: Plot, tables: Tables) -> dict[str, Any]:
    """A plot, with the ids of the rows it was made of."""
    return {"plot": plot.document(), "made_of": [(one["of"], ids_of(one, tables)) for one in plot.made_of]}


def shown(sheet: Sheet, tables: Tables) -> dict[str, Any]:
    """A table with each line's cells and the ids of its rows."""
    lines = [
        {"cells": list(zip(cells, sheet.columns, strict=True)), "ids": ids_of(made_of, tables)}
        for cells, made_of in zip(sheet.shown(), sheet.made_of, strict=True)
    ]
    return {"sheet": sheet, "lines": lines}
