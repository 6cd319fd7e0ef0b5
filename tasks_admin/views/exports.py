"""The export page: what would be in a bundle, having one made, and the finished ones to take away."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST, require_safe

from annotate.access import person_of
from annotate.errors import BadInput, NotFound, NotYet
from annotate.models import Person, Study
from tasks_admin import access
from tasks_admin.exports import asked, ranges, shelf
from tasks_admin.exports.choice import ALL, Choice, chosen, codes_of, conditions_of
from tasks_admin.exports.contents import contents_of
from tasks_admin.exports.released import recalled
from tasks_admin.models import Export
from tasks_admin.release import items

SHOWN = 20  # exports in the list
WHAT_NOW = "It is not given out any more. Export again, or delete it with the old ones."


def choice_in(study: Study, form: QueryDict) -> Choice:
    """The choice that the form says. Raises BadInput."""
    conditions, people = form.getlist("condition"), form.getlist("person")
    if not conditions:
        raise BadInput("Choose at least one condition.", "condition")
    if not people:
        raise BadInput("Choose at least one person.", "person")
    if form.get("only", "all") not in ("all", "complete"):
        raise BadInput("Choose whether only what figures count goes in.", "only")
    return chosen(study, conditions, people, **extent_in(form))


def extent_in(form: QueryDict) -> dict[str, bool]:
    """What the form says beside conditions and people, as `chosen` takes it."""
    extras = {name: form.get(name) == "yes" for name in ("screenshots", "captures")}
    return extras | {"only_complete": form.get("only") == "complete"}


def load(study: Study, export_id: int) -> Export:
    """An export of the study. Raises NotFound."""
    export = study.exports.select_related("study").filter(pk=export_id).first()
    if export is None:
        raise NotFound
    return export


@never_cache
@login_required
@require_GET
def page(request: HttpRequest, slug: str) -> HttpResponse:
    """What a choice holds, how far an export is, and those that are done."""
    study = access.load_study(person_of(request), slug)
    try:
        choice = choice_in(study, request.GET) if "chosen" in request.GET else ALL
    except BadInput as refusal:
        return refused(request, study, request.GET, refusal)
    return render(request, "tasks_admin/export.html", context_of(person_of(request), study, choice))


def refused(request: HttpRequest, study: Study, form: QueryDict, refusal: BadInput) -> HttpResponse:
    """The page again, with what the form chose and why that cannot be."""
    rest = chosen(study, (), (), **extent_in(form))
    context = context_of(person_of(request), study, rest) | {
        "conditions": [(name, name in form.getlist("condition")) for name in conditions_of(study)],
        "people": [(code, code in form.getlist("person")) for code in codes_of(study)],
        "refusal": refusal,
    }
    return render(request, "tasks_admin/export.html", context, status=refusal.status)


def context_of(person: Person, study: Study, choice: Choice) -> dict[str, Any]:
    """What the page shows of a choice and of the study's exports."""
    contents = contents_of(study, choice)
    under_way = study.exports.filter(state__in=Export.OPEN).first()
    exports = list(study.exports.exclude(state__in=Export.OPEN)[:SHOWN])
    reasons = recalled(study, exports)
    return {
        "study": study,
        "may_change": access.may_decide(person, study),
        "conditions": [(name, not choice.conditions or name in choice.conditions) for name in conditions_of(study)],
        "people": [(code, not choice.people or code in choice.people) for code in codes_of(study)],
        "choice": choice,
        "pictures": items.count(study, "picture"),
        "captures": items.count(study, "capture"),
        "inside": contents.inside.most_common(),
        "outside": contents.outside.most_common(),
        "in": contents.inside.total(),
        "out": contents.outside.total(),
        "under_way": under_way,
        "stage": stage(under_way) if under_way else "",
        "seconds": int((timezone.now() - under_way.asked_at).total_seconds()) if under_way else 0,
        "exports": [shown(export, reasons.get(export.pk, [])) for export in exports],
        "to_take": any(export.state == "done" and export.pk not in reasons for export in exports),
        "old": asked.old(study).count(),
        "kept": asked.KEPT,
        "what_now": WHAT_NOW,
    }


def shown(export: Export, recalled: list[str]) -> dict[str, Any]:
    """A line of the list; `recalled` tells why it may not be given out any more."""
    return {"export": export, "words": Choice.of(export.contents).words(), "recalled": recalled}


@login_required
@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Have an export of the form's choice made, or (`act` count) only show what it holds."""
    person = person_of(request)
    study = access.load_study_to_change(person, slug)
    if request.POST.get("act") == "count":
        told = {name: request.POST.getlist(name) for name in ("condition", "person", "only", "screenshots", "captures")}
        return redirect(f"{reverse('export', args=[slug])}?{urlencode(told | {'chosen': 1}, doseq=True)}#contents")
    try:
        asked.ask_for(study, person, choice_in(study, request.POST))
    except BadInput as refusal:
        return refused(request, study, request.POST, refusal)
    return redirect("export", slug)


@login_required
@require_POST
def cancel(request: HttpRequest, slug: str, export_id: int) -> HttpResponse:
    """Stop an export that waits or runs."""
    person = person_of(request)
    asked.cancel(load(access.load_study_to_change(person, slug), export_id), person)
    messages.success(request, "The export was cancelled; nothing of it is left.")
    return redirect("export", slug)


@login_required
@require_POST
def delete_old(request: HttpRequest, slug: str) -> HttpResponse:
    """Remove old exports."""
    person = person_of(request)
    number = asked.delete_old(access.load_study_to_change(person, slug), person)
    messages.success(request, f"{number} old export{'s' * (number != 1)} deleted.")
    return redirect("export", slug)


@never_cache
@login_required
@require_GET
def status(request: HttpRequest, slug: str, export_id: int) -> JsonResponse:
    """How far an export is, for the page that waits; of one that is done also why it may not be given out any more."""
    study = access.load_study(person_of(request), slug)
    export = load(study, export_id)
    told: dict[str, Any] = {"state": export.state, "stage": stage(export), "open": export.state in Export.OPEN}
    told["recalled"] = recalled(study, [export]).get(export.pk, [])
    return JsonResponse(told | {"done": export.done, "total": export.total})


def stage(export: Export) -> str:
    """How far an export is, in words."""
    if export.state == Export.State.WAITING:
        return "waiting for the worker"
    if not export.total:
        return "writing the tables"
    return f"{export.done} of {export.total} attempts written" if export.done < export.total else "packing the archive"


@login_required
@require_safe
def file(request: HttpRequest, slug: str, export_id: int) -> HttpResponseBase:
    """The archive, whole or by ranges."""
    study = access.load_study(person_of(request), slug)
    export = load(study, export_id)
    path = shelf.archive_of(export)
    if export.state != Export.State.DONE or not path.exists():
        raise NotFound
    if reasons := recalled(study, [export]).get(export.pk):
        raise NotYet("export_recalled", " ".join([*reasons, WHAT_NOW]))
    return ranges.serve(request, path, export.sha256, f"{slug}-{export.pk}.zip")
