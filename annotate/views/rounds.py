"""The control tab of a round."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotate import dashboard
from annotate.access import load_round, person_of


@never_cache
@login_required
@require_GET
def control(request: HttpRequest, round_id: int) -> HttpResponse:
    """Instruction, clock, saving state and the round's acts; the state itself comes over the WebSocket."""
    round_ = load_round(person_of(request), round_id)
    study = round_.participation.study
    context = {
        "round": round_,
        "task": round_.assignment.task_condition.task,
        "study": study,
        "place": dashboard.place_of(round_.assignment),
        "viewport": study.options.get("viewport", [1024, 600]),
        "limit_ms": 1000 * (study.options.get("time_limit_seconds") or 0),
        "countdown": study.options.get("countdown_seconds", 5),
    }
    return render(request, "annotate/round.html", context)
