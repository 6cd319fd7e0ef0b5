"""A lead's word on an attempt that no checker could judge."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotate.access import person_of
from annotate.actions.judging import judge as judge_attempt
from annotate.errors import BadInput
from recorder.wire import storable
from tasks_admin import access


@login_required
@require_POST
def judge(request: HttpRequest, slug: str, attempt_id: int) -> HttpResponse:
    """Note the word; viewers may not give one."""
    person = person_of(request)
    access.load_study_to_change(person, slug)
    attempt = access.load_attempt(person, slug, attempt_id)
    word = request.POST.get("passed")
    if word not in ("yes", "no"):
        raise BadInput("Please say whether it passed.", "passed")
    judge_attempt(attempt, person, passed=word == "yes", note=storable(request.POST.get("note", "")[:5000]))
    return redirect("attempt", slug=slug, attempt_id=attempt.pk)
