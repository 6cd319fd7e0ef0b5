"""A person's own page: how they are called, their time zone and language, their password."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from annotate import locale, queries
from annotate.access import person_of
from annotate.actions import people
from annotate.errors import BadInput
from annotate.models import Person
from recorder.wire import storable


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def profile(request: HttpRequest) -> HttpResponse:
    """GET shows the page; POST stores name, time zone and language."""
    person = person_of(request)
    given = {name: storable(request.POST.get(name, "")) for name in ("name", "time_zone", "language")}
    if request.method == "GET":
        return _page(request, person)
    try:
        people.change_profile(person, **given)
    except BadInput as error:
        return _page(request, person, given=given, error=error, status=400)
    messages.success(request, "Saved.")
    return redirect("profile")


@sensitive_post_parameters()
@login_required
@require_POST
def password(request: HttpRequest) -> HttpResponse:
    """Change the password; every other session of the person ends."""
    person = person_of(request)
    form: PasswordChangeForm = PasswordChangeForm(person, request.POST)
    if not form.is_valid():
        return _page(request, person, form=form, status=400)
    update_session_auth_hash(request, form.save())
    messages.success(request, "Your password is changed; you are signed out everywhere else.")
    return redirect("profile")


def _page(
    request: HttpRequest,
    person: Person,
    *,
    given: dict[str, str] | None = None,
    error: BadInput | None = None,
    form: PasswordChangeForm | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "person": person,
        "given": given or {"name": person.name, "time_zone": person.time_zone, "language": person.language},
        "error": error,
        "form": form,
        "now": timezone.now(),
        "zones": locale.zones(),
        "languages": locale.LANGUAGES.values(),
        "participations": queries.participations_of(person),
    }
    return render(request, "annotate/profile.html", context, status=status)
