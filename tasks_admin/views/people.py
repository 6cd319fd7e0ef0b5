"""The people of a study: who is behind which code (owners only), invitations, deactivation, and who wants to leave."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotate.access import person_of
from annotate.actions import leaving
from annotate.actions.people import INVITATION_DAYS, drop_role, revoke_for, set_active
from annotate.models import Person, Study, StudyRole
from recorder.errors import FootpathError
from recorder.wire import storable
from tasks_admin import access, people
from tasks_admin.operate.people import Invited, bring_in

PAGE = 100


@never_cache
@login_required
@require_GET
def study_people(request: HttpRequest, slug: str) -> HttpResponse:
    """Codes with how far each has come; an owner also sees who they are."""
    person = person_of(request)
    return _page(request, person, access.load_study(person, slug))


def _page(
    request: HttpRequest,
    person: Person,
    study: Study,
    *,
    invited: Invited | None = None,
    error: FootpathError | None = None,
) -> HttpResponse:
    owner = people.is_owner(person, study)
    roles = people.roles_of(study)
    page = Paginator(people.listed(study), PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "page": page,
        "rows": people.rows(list(page.object_list), owner=owner),
        "owner": owner,
        "may_decide": access.may_decide(person, study),
        "roles": roles,
        "only_owner": people.only_owner(roles),
        "choices": StudyRole.Role.values,
        "invited": invited,
        "days": INVITATION_DAYS,
        "error": error,
        "given": request.POST,
    }
    return render(request, "tasks_admin/people.html", context, status=error.status if error else 200)


@never_cache
@login_required
@require_POST
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    """Bring somebody in for a code, or on the lead's side; the link is on this answer only. Asked again, it makes a new link
    and the earlier one is worth nothing."""
    person = person_of(request)
    study = access.load_own_study(person, slug)
    given = {name: storable(request.POST.get(name, "")).strip()[:300] for name in ("email", "name", "code", "role")}
    role = given["role"] if given["role"] in StudyRole.Role.values else ""
    try:
        invited = bring_in(
            given["email"], slug, code="" if role else given["code"], role=role, name=given["name"], actor=person
        )
    except FootpathError as error:
        return _page(request, person, study, error=error)
    return _page(request, person, study, invited=invited)


@login_required
@require_POST
def revoke_invitation(request: HttpRequest, slug: str, participation_id: int) -> HttpResponse:
    """Make the invitation of somebody who has not come yet worthless."""
    person = person_of(request)
    access.load_own_study(person, slug)
    found = access.load_participation(person, slug, participation_id)
    if revoke_for(found, person):
        messages.success(request, f"The invitation of {found.code} is worth nothing any more.")
    return redirect("people", slug)


@login_required
@require_POST
def activate(request: HttpRequest, slug: str, participation_id: int) -> HttpResponse:
    """Deactivate (`active` = no) or reactivate (yes) a participation, with a reason."""
    person = person_of(request)
    access.load_study_to_change(person, slug)
    found = access.load_participation(person, slug, participation_id)
    active = request.POST.get("active") == "yes"
    set_active(found, person, active=active, why=storable(request.POST.get("why", "")))
    messages.success(request, f"{found.code} {'takes part again' if active else 'is asked for nothing any more'}.")
    return redirect("people", slug)


@login_required
@require_POST
def let_go(request: HttpRequest, slug: str, participation_id: int) -> HttpResponse:
    """Carry out somebody's wish to leave. The form must say the code, for it cannot be undone."""
    person = person_of(request)
    access.load_own_study(person, slug)
    found = access.load_participation(person, slug, participation_id)
    standing = found.withdrawals.filter(taken_back_at=None, carried_out_at=None).first()
    if standing is None or request.POST.get("code", "").strip() != found.code:
        messages.error(request, f"Nothing was done: type {found.code} to say that you mean it.")
        return redirect("people", slug)
    leaving.carry_out(standing, person)
    messages.success(request, f"{found.code} has left. The worker removes what is to be removed.")
    return redirect("people", slug)


@login_required
@require_POST
def take_role(request: HttpRequest, slug: str, role_id: int) -> HttpResponse:
    """Take somebody off the lead's side. Who takes themselves off has no more to do with the study's pages."""
    person = person_of(request)
    role = drop_role(access.load_own_study(person, slug), person, role_id)
    messages.success(request, f"{role.person} is {role.role} of {slug} no more.")
    return redirect("studies") if role.person == person else redirect("people", slug)
