"""The study editor: create a study, change its parts, read earlier texts, freeze and close it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotate.access import person_of
from annotate.errors import BadInput, NotFound
from annotate.models import Person, Study, StudyText
from recorder.wire import storable
from tasks_admin import access
from tasks_admin.people import is_owner
from tasks_admin.studies import readiness, state
from tasks_admin.studies.change import Stale, save
from tasks_admin.studies.create import create_study, require_may_create
from tasks_admin.studies.fields import StudyForm
from tasks_admin.studies.form_about import NewForm
from tasks_admin.studies.form_people import PeopleForm
from tasks_admin.studies.presets import PRESETS
from tasks_admin.studies.sections import SECTIONS, Section


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """A form with the presets; POST makes a draft and opens its editor."""
    person = person_of(request)
    require_may_create(person)
    form = NewForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            study = create_study(person, PRESETS[data["preset"]], data["name"], data["slug"], data["environments"])
        except BadInput as error:
            form.add_error(error.data["field"], error.message)
        else:
            messages.success(request, f"{study.name} is a draft now. Go through its parts, then find a plan.")
            return redirect("study_edit", study.slug, "texts")
    status = 400 if form.errors else 200
    return render(request, "tasks_admin/editor/new.html", {"form": form, "presets": PRESETS.values()}, status=status)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """A part of the study; POST saves it. Faults stand beside their fields; a stale form is told and saves nothing."""
    person = person_of(request)
    study = access.load_study_to_change(person, slug)
    part = SECTIONS.get(section)
    if part is None:
        raise NotFound
    owns = is_owner(person, study)
    if request.method == "GET":
        return page(request, study, part, part.form(study, owns=owns))
    form = part.form(study, request.POST, owns=owns)
    if "preview" in request.POST:
        form.is_valid()
        return page(request, study, part, form, preview=True)
    if not form.is_valid():
        return page(request, study, part, form, status=400)
    try:
        study = save(study, form.cleaned_data["version"], person, form.cleaned_data.get("reason", ""), form.write)
    except Stale as error:
        return page(request, study, part, form, status=409, stale=error.message)
    except BadInput as error:
        place_error(form, error)
        return page(request, study, part, form, status=400)
    if isinstance(form, PeopleForm) and form.invited:
        # Shown once, so no redirect: only the hashes of these links are kept.
        return page(request, study, part, part.form(study, owns=owns), invited=form.invited)
    messages.success(request, "Saved.")
    return redirect("study_edit", study.slug, part.name)


def place_error(form: StudyForm, error: BadInput) -> None:
    """Beside its field, where the form has it; it may stand beside a row already."""
    field = error.data.get("field", "")
    form.add_error(field if field in form.fields else None, error.message)


def page(
    request: HttpRequest, study: Study, part: Section, form: StudyForm, *, status: int = 200, **more: Any
) -> HttpResponse:
    """A part's page."""
    context = {"study": study, "part": part, "form": form, **around(study), **more}
    if part.name == "texts":
        context["versions"] = study.texts.order_by("kind", "-version")
    return render(request, part.template, context, status=status)


def around(study: Study) -> dict[str, Any]:
    """What every page of the editor shows besides its own."""
    return {"sections": SECTIONS.values(), "is_draft": study.state == Study.State.DRAFT}


@login_required
@require_GET
def text(request: HttpRequest, slug: str, kind: str, version: int) -> HttpResponse:
    """A version of a text as annotators read it; every version stays readable."""
    study = access.load_study(person_of(request), slug)
    found = StudyText.objects.filter(study=study, kind=kind, version=version).first()
    if found is None:
        raise NotFound
    newest = study.texts.filter(kind=kind).order_by("-version").values_list("version", flat=True)[0]
    context = {"study": study, "text": found, "is_newest": found.version == newest}
    return render(request, "tasks_admin/editor/text.html", context)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def study_state(request: HttpRequest, slug: str) -> HttpResponse:
    """Where the study stands, what freezing checks, who works now; POST with `act` freezes or closes it."""
    person = person_of(request)
    study = access.load_study_to_change(person, slug)
    if request.method == "POST":
        move(request, study, person)
        return redirect("study_state", study.slug)
    context = {
        "study": study,
        "checks": readiness.checks(study) if study.state == Study.State.DRAFT else [],
        "ready": study.state == Study.State.DRAFT and not readiness.in_the_way(study),
        "working": state.working_now(study),
        **around(study),
    }
    return render(request, "tasks_admin/editor/state.html", context)


def move(request: HttpRequest, study: Study, person: Person) -> None:
    """Freeze or close, as the form says."""
    seen = request.POST.get("version", "")
    if not seen.isdecimal() or len(seen) > 9:
        raise BadInput("The form lacks the version it was made for; reload the page.", "version")
    if request.POST.get("act") == "freeze":
        state.freeze(study, int(seen), person)
        messages.success(request, "The study is frozen: people can begin.")
    elif request.POST.get("act") == "close":
        if request.POST.get("confirm", "").strip() != study.slug:
            raise BadInput(
                f"Closing is for good: write the study's short name, {study.slug}, to confirm it.", "confirm"
            )
        state.close(study, int(seen), person, storable(request.POST.get("reason", "")[:2000]).strip())
        messages.success(request, "The study is closed: no round begins any more.")
    else:
        raise BadInput("Say what to do: freeze or close.", "act")


@login_required
@require_GET
def amendments(request: HttpRequest, slug: str) -> HttpResponse:
    """Every change since the study was frozen, newest first; it is exported as well."""
    study = access.load_study(person_of(request), slug)
    rows = study.amendments.select_related("actor").order_by("-number")[:500]
    return render(request, "tasks_admin/editor/amendments.html", {"study": study, "rows": rows, **around(study)})
