"""Judges against people: the figures, the rows behind them, and blind labels of attempts."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotate.access import person_of
from annotate.actions.labelling import label as keep
from annotate.errors import BadInput, NotFound
from annotate.models import Label, Person, Study
from tasks_admin import access, sheets
from tasks_admin.agreement import judges, labels
from tasks_admin.labels import lines, runs
from tasks_admin.labels.judged import judged
from tasks_admin.models import RunLabel
from tasks_admin.paging import some
from tasks_admin.viewer.lists import Lists
from tasks_admin.viewer.page import list_of
from tasks_admin.viewer.timeline import timeline_of
from tasks_admin.views.duplicates import attached

SHOWN = ("raw", "cleaned", "steps", "requests")
PAGE = 100


@login_required
@require_GET
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """Rate, κ and confusion of verdicts and of judges against people, and of people against each other."""
    person = person_of(request)
    study = access.load_study(person, slug)
    found, every = labels.labelled(study), judged(study)
    context = {
        "study": study,
        "figures": labels.figures(found),
        "judges": judges.figures(every),
        "people": judges.between_people(every),
        "thin": judges.THIN,
        "parted": [one for one in found if one.verdict_of_people not in (None, one.passed)][:200],
        "may_decide": access.may_decide(person, study),
        "imported": some(study.imported_labels.all()),
        **counts(study, person, every),
    }
    return render(request, "tasks_admin/labels.html", context)


def counts(study: Study, person: Person, every: list[judges.Judged]) -> dict[str, Any]:
    """How many attempts and runs there are to label, were labelled, and by this person."""
    bare = study.runs.filter(trajectory__isnull=True)
    return {
        "attempts": some(labels.open_to_labels(study)),
        "attempts_left": labels.open_to_labels(study).exists(),
        "attempts_done": sum(one.of == "attempt" for one in every),
        "runs": some(runs.open_to_labels(study)),
        "runs_left": runs.open_to_labels(study).exists(),
        "bare": some(bare) if bare.exists() else "",
        "runs_done": sum(one.of == "run" for one in every),
        "split": sum(one.people is None for one in every),
        "mine": Label.objects.filter(lead=person, attempt__round__participation__study=study)
        .values("attempt")
        .distinct()
        .count()
        + RunLabel.objects.filter(lead=person, run__study=study).values("run").distinct().count(),
    }


@login_required
@require_GET
def file(request: HttpRequest, slug: str) -> HttpResponse:
    """The figures as JSON."""
    study = access.load_study(person_of(request), slug)
    found, every = labels.labelled(study), judged(study)
    body = {
        "verdict_against_people": labels.figures(found),
        "judges_against_people": judges.figures(every),
        "people": judges.between_people(every),
    }
    return attached(json.dumps(body, ensure_ascii=False, indent=1), "application/json", f"{study.slug}-labels.json")


@login_required
@require_GET
def table(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Judges against people as CSV."""
    study = access.load_study(person_of(request), slug)
    return sheets.download(f"{study.slug}-judges", "csv", judges.COLUMNS, judges.rows(judges.figures(judged(study))))


@login_required
@require_GET
def rows(request: HttpRequest, slug: str) -> HttpResponse:
    """The runs and attempts behind a line (`judge`, `model`) or one of its cells (`cell`)."""
    person = person_of(request)
    study = access.load_study(person, slug)
    asked = {name: request.GET.get(name, "") for name in ("judge", "model", "cell")}
    found = lines.behind(judged(study), **asked)
    shown = Paginator(found, PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "page": shown,
        "lines": lines.told(list(shown.object_list), asked["judge"]),
        "unseen": lines.not_labelled_by(person, list(shown.object_list)),
        **asked,
    }
    return render(request, "tasks_admin/label_rows.html", context)


@login_required
@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Go to an attempt that this lead has not labelled."""
    person = person_of(request)
    study = access.load_study_to_change(person, slug)
    found = labels.next_for(study, person)
    if found is None:
        messages.success(request, "You have labelled every attempt that can be.")
        return redirect("labels", slug)
    return redirect("label", slug, found.pk)


@login_required
@require_http_methods(["GET", "POST"])
def label(request: HttpRequest, slug: str, attempt_id: int) -> HttpResponse:
    """What was done in an attempt, without verdict, checks, flags, rating, pictures or person; POST keeps `success` yes or no.

    Pictures come from replays, which only passed attempts have: they would tell.
    """
    person = person_of(request)
    study = access.load_study(person, slug)
    found = labels.open_to_labels(study).filter(pk=attempt_id).select_related(*Lists.LOADED).first()
    if found is None:
        raise NotFound
    if request.method == "POST":
        access.load_study_to_change(person, slug)
        keep(found, person, success=word_of(request), note=request.POST.get("note", ""))
        following = labels.next_for(study, person)
        return redirect("label", slug, following.pk) if following else redirect("labels", slug)
    lists = Lists(found)
    assert found.recording is not None
    context = {
        "study": study,
        "attempt": found,
        "task": found.round.assignment.task_condition.task,
        "lists": [list_of(lists, kind, 0) for kind in SHOWN],
        "timeline": timeline_of(found.recording, lists.order, lists.steps, lists.wall_ms),
        "backend": (found.backend_record or [])[:200],
        "last": Label.objects.filter(attempt=found, lead=person).order_by("-pk").first(),
        "may_decide": access.may_decide(person, study),
        "start": 0,
        "without_pictures": True,
    }
    return render(request, "tasks_admin/label.html", context)


def word_of(request: HttpRequest) -> bool:
    """What the form says. Raises BadInput."""
    word = request.POST.get("success")
    if word not in ("yes", "no"):
        raise BadInput("Please say whether it did what was asked.", "success")
    return word == "yes"
