"""The duplicate audit's page and its files."""

from __future__ import annotations

import json
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from annotate.access import person_of
from annotate.errors import NotFound
from annotate.models import Study
from tasks_admin import access, sheets
from tasks_admin.agreement import duplicates
from tasks_admin.agreement.duplicates import Pair
from tasks_admin.agreement.scatter import Dot, Scatter, scatter

SHOWN = 200


@login_required
@require_GET
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Pairs, figures with intervals, scatters, and the pairs that disagree."""
    study = access.load_study(person_of(request), slug)
    found = duplicates.pairs(study)
    parted = [pair for pair in found if not pair.agrees]
    context = {
        "study": study,
        "planned": duplicates.planned(study),
        "valid": len([pair for pair in found if pair.primary.kind == "warm"]),
        "figures": told(duplicates.figures(found)),
        "parted": parted[:SHOWN],
        "parted_count": len(parted),
        "plots": [plot for name in ("time", "steps") if (plot := plot_of(study, found, name))],
    }
    return render(request, "tasks_admin/duplicates.html", context)


PASSES = {"agreement": "same verdict", "kappa": "Cohen's κ", "ac1": "Gwet's AC1", "mcnemar_p": "McNemar's exact p"}
RATIOS = {
    "geometric_mean": "geometric mean of ratios",
    "median": "median ratio",
    "within_1_5": "share within ×1.5",
    "within_2": "share within ×2",
    "spearman": "Spearman's ρ",
    "icc_a1": "ICC(A,1) of logs",
}


def told(figures: dict[str, Any]) -> list[dict[str, Any]]:
    """The figures as the page's tables have them: per kind a 2×2 table and lines {words, value, interval, why}."""
    return [
        {
            "kind": kind,
            "pairs": one["pairs"],
            "table": one["passes"]["table"],
            "groups": [
                ("Pass", lines(one["passes"], PASSES)),
                (f"Time, duplicate over primary ({one['time']['n']} pairs)", lines(one["time"], RATIOS)),
                (f"Steps, duplicate over primary ({one['steps']['n']} pairs)", lines(one["steps"], RATIOS)),
            ],
        }
        for kind, one in figures.items()
    ]


def lines(values: dict[str, Any], names: dict[str, str]) -> list[dict[str, Any]]:
    undefined, intervals = values.get("undefined", {}), values["intervals"]
    return [
        {
            "words": words,
            "value": values[name],
            "interval": intervals.get(name),
            "has_interval": name in intervals,
            "why": undefined.get(name, ""),
        }
        for name, words in names.items()
    ]


def plot_of(study: Study, found: list[Pair], name: str) -> Scatter | None:
    """The scatter of times (s) or steps of warm pairs."""
    dots = [
        Dot(x, y, words(pair), link(study, pair), "agrees" if pair.agrees else "parts")
        for pair in found
        if pair.primary.kind == "warm" and (x := number(pair.primary, name)) and (y := number(pair.duplicate, name))
    ]
    unit = "s" if name == "time" else "steps"
    return scatter(f"{name.title()} of warm attempts", f"primary ({unit})", f"duplicate ({unit})", dots)


def number(attempt: Any, name: str) -> float:
    return (attempt.wall_ms or 0) / 1000 if name == "time" else float(attempt.steps or 0)


def words(pair: Pair) -> str:
    row = pair.row()
    return f"{row['task']}, {row['condition']}: {row['primary']} and {row['duplicate']}"


def link(study: Study, pair: Pair) -> str:
    """Both attempts side by side."""
    return f"{reverse('attempt', args=[study.slug, pair.primary.pk])}?against={pair.duplicate.pk}#others"


@login_required
@require_GET
def file(request: HttpRequest, slug: str, name: str) -> HttpResponseBase:
    """`pairs.csv`, `audit.json` (figures and pairs), `time.svg` or `steps.svg`."""
    study = access.load_study(person_of(request), slug)
    found = duplicates.pairs(study)
    if name == "pairs.csv":
        return sheets.download(f"{study.slug}-duplicates", "csv", duplicates.COLUMNS, duplicates.rows(found))
    if name == "audit.json":
        body = {
            "planned": duplicates.planned(study),
            "figures": duplicates.figures(found),
            "pairs": list(duplicates.rows(found)),
        }
        return attached(json.dumps(body, ensure_ascii=False, indent=1), "application/json", f"{study.slug}-{name}")
    plot = plot_of(study, found, name.removesuffix(".svg")) if name in ("time.svg", "steps.svg") else None
    if plot is None:
        raise NotFound
    response = render(request, "tasks_admin/scatter.html", {"plot": plot, "alone": True})
    return attached(response.content, "image/svg+xml", f"{study.slug}-duplicates-{name}")


def attached(content: str | bytes, media: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=media)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
