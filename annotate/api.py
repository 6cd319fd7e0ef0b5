"""The control tab's acts over HTTP. Each loads by person, checks the tab, calls one action and answers the new state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.urls import path
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotate.access import load_round, person_of
from annotate.actions import rounds
from annotate.control import snapshot
from annotate.errors import BadInput
from annotate.models import Person, Round
from recorder.errors import FootpathError
from recorder.wire import storable

Act = Callable[[Round, Person, dict[str, Any]], object]


def handle_error(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's answers for its own errors, ours (code, message, data) for domain errors."""
    if isinstance(error, FootpathError):
        return Response({"code": error.code, "message": error.message, **error.data}, status=error.status)
    return exception_handler(error, context)


def _text(data: dict[str, Any], name: str, limit: int = 100_000) -> str:
    """A text field of the body, without what no database holds (NUL, halves of characters). Raises BadInput."""
    value = data.get(name, "")
    if not isinstance(value, str) or len(value) > limit:
        raise BadInput(f"{name} must be a text of at most {limit} characters.", name)
    return storable(value)


def _data(request: Request) -> dict[str, Any]:
    if not isinstance(request.data, dict):
        raise BadInput("The body must be a JSON object.")
    return request.data


def _act(request: Request, round_id: int, act: Act) -> Response:
    person = person_of(request._request)
    data, round_ = _data(request), load_round(person, round_id)
    tab = _text(data, "tab", 40)
    rounds.require_tab(round_, tab)
    act(round_, person, data)
    return Response(snapshot(load_round(person, round_id), tab))


@api_view(["GET"])
def round_state(request: Request, round_id: int) -> Response:
    """The round's present state, for a tab that has no WebSocket."""
    return Response(snapshot(load_round(person_of(request._request), round_id), request.query_params.get("tab", "")))


@api_view(["POST"])
def claim(request: Request, round_id: int) -> Response:
    """Bind the round to the tab; `{"tab", "take_over"}`. `mine` in the answer says whether it is."""
    person, data = person_of(request._request), _data(request)
    tab = _text(data, "tab", 40)
    rounds.claim_tab(load_round(person, round_id), tab, take_over=data.get("take_over") is True)
    return Response(snapshot(load_round(person, round_id), tab))


@api_view(["POST"])
def start(request: Request, round_id: int) -> Response:
    """The countdown is over: start the clock."""
    return _act(request, round_id, lambda round_, person, data: rounds.start_attempt(round_, person))


@api_view(["POST"])
def evaluate(request: Request, round_id: int) -> Response:
    """Stop and score the attempt; `declared` says whether it is done, where there is no checker."""

    def act(round_: Round, person: Person, data: dict[str, Any]) -> object:
        declared = data.get("declared")
        if declared is not None and not isinstance(declared, bool):
            raise BadInput("declared must be true or false.", "declared")
        return rounds.press_evaluate(round_, declared)

    return _act(request, round_id, act)


@api_view(["POST"])
def prepare_again(request: Request, round_id: int) -> Response:
    """Try once more to prepare the website."""
    return _act(request, round_id, lambda round_, person, data: rounds.prepare_again(round_))


@api_view(["POST"])
def warm(request: Request, round_id: int) -> Response:
    """Reset the website for the warm attempt."""
    return _act(request, round_id, lambda round_, person, data: rounds.begin_warm(round_))


@api_view(["POST"])
def abandon(request: Request, round_id: int) -> Response:
    """End the round with the annotator's reason."""
    return _act(
        request, round_id, lambda round_, person, data: rounds.abandon(round_, person, _text(data, "reason", 5000))
    )


@api_view(["POST"])
def rate(request: Request, round_id: int) -> Response:
    """Store the rating: `{"answers": {item: value}, "comment"}`."""

    def act(round_: Round, person: Person, data: dict[str, Any]) -> object:
        answers = data.get("answers", {})
        if not isinstance(answers, dict):
            raise BadInput("answers must be an object.", "answers")
        return rounds.rate(round_, answers, _text(data, "comment"))

    return _act(request, round_id, act)


urlpatterns = [
    path("rounds/<int:round_id>/", round_state, name="api_round"),
    path("rounds/<int:round_id>/claim/", claim, name="api_round_claim"),
    path("rounds/<int:round_id>/start/", start, name="api_round_start"),
    path("rounds/<int:round_id>/evaluate/", evaluate, name="api_round_evaluate"),
    path("rounds/<int:round_id>/prepare/", prepare_again, name="api_round_prepare"),
    path("rounds/<int:round_id>/warm/", warm, name="api_round_warm"),
    path("rounds/<int:round_id>/abandon/", abandon, name="api_round_abandon"),
    path("rounds/<int:round_id>/rate/", rate, name="api_round_rate"),
]
