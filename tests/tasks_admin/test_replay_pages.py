"""What leads see of replays and references, what they may do about them, and what viewers may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.files.storage import default_storage
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from PIL import Image

from annotate.actions import references as choosing
from annotate.actions import replays
from annotate.models import Attempt, Person, Reference, Replay, ReplayStep, Round, StudyRole
from recorder.environments.base import Verdict
from recorder.replay import pictures, results
from recorder.replay.diagnose import Diagnosis
from tests.annotate.test_rounds import attempt_of, complete
from tests.cast import Cast, person


@pytest.fixture
def done(cast: Cast) -> Round:
    return complete(cast, cast.ann)


def client(who: Person) -> Client:
    signed_in = Client()
    signed_in.force_login(who)
    return signed_in


def verify(round_: Round) -> None:
    Replay.objects.filter(attempt__round=round_).update(state="done", outcome="verified")
    choosing.settle(round_.assignment.task_condition_id)


def played(*, passed: bool = True, broke_at: int | None = None) -> replays.Played:
    """A replay of two steps with a picture before each, as the browser would have given it."""
    film = pictures.Film()
    for key, colour in (("a", "teal"), ("b", "navy")):
        film.taken[key] = pictures.encode(Image.new("RGB", (640, 400), colour)).data
    steps = [
        results.StepResult(0, "click", "done", box=[10, 10, 80, 30], before="a", after="b", locator="css", ms=41),
        results.StepResult(
            1, "click", "failed" if broke_at else "done", "It is not there." if broke_at else "", before="b"
        ),
    ]
    told = Diagnosis("changed page", "It is not there.") if broke_at else None
    done = results.Replay("fast", steps, broke_at, verdict=Verdict(float(passed), passed, "server"), ms=1234.5)
    return replays.Played(done, film, told)


def test_a_replay_is_written_down_with_its_pictures_once(
    cast: Cast, done: Round, settings: LazySettings, tmp_path: Path
) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {**settings.STORAGES["default"], "OPTIONS": {"location": tmp_path}},
    }
    cold, warm = Replay.objects.order_by("attempt__kind")
    replays.conclude(cold, played())
    replays.conclude(warm, played(passed=False))
    assert [*Replay.objects.order_by("attempt__kind").values_list("outcome", flat=True)] == ["verified", "fails_check"]
    step = ReplayStep.objects.get(replay=cold, index=0)
    assert step.before is not None
    assert (step.before.width, step.before.height, default_storage.exists(step.before.file.name)) == (640, 400, True)
    assert step.before_id == ReplayStep.objects.get(replay=warm, index=0).before_id
    page = client(cast.lead).get(f"/studies/tea/attempts/{cold.attempt_id}/")
    assert b"Before step 2" in page.content
    assert b"The whole filmstrip" in page.content
    url = f"/studies/tea/attempts/{cold.attempt_id}/pictures/{step.before.content_hash}/"
    shown = client(cast.lead).get(url)
    assert (shown.status_code, shown.headers["Content-Type"]) == (200, step.before.media_type)
    assert client(cast.other_lead).get(url).status_code == 404
    assert client(cast.ann).get(url).status_code == 404


def test_where_it_breaks_and_why_is_said(cast: Cast, done: Round) -> None:
    cold = Replay.objects.get(attempt__round=done, attempt__kind="cold")
    replays.conclude(cold, played(broke_at=2))
    page = client(cast.lead).get(f"/studies/tea/attempts/{cold.attempt_id}/").content.decode()
    assert "breaks at step 2" in page
    assert "Changed page.</strong> It is not there." in page
    assert "breaks at step 2" in client(cast.lead).get("/studies/tea/attempts/").content.decode()


def test_a_lead_overrules_on_the_page_and_a_viewer_may_not(cast: Cast, done: Round) -> None:
    verify(done)
    cold = done.attempts.get(kind="cold")
    url = f"/studies/tea/references/{done.assignment.task_condition_id}/"
    viewer = person("vera.viewer")
    StudyRole.objects.create(study=cast.study, person=viewer, role="viewer")
    assert client(viewer).get("/studies/tea/references/").status_code == 200
    assert b"<summary>Overrule" not in client(viewer).get("/studies/tea/references/").content
    assert client(viewer).post(url, {"attempt": cold.pk, "reason": "x"}).status_code == 404
    assert client(cast.lead).post(url, {"attempt": cold.pk, "reason": ""}).status_code == 400
    assert client(cast.lead).post(url, {"attempt": "1e9", "reason": "x"}).status_code == 400
    assert (
        client(cast.lead).post(url, {"attempt": cold.pk, "reason": "The warm one took a short cut."}).status_code == 302
    )
    page = client(cast.lead).get("/studies/tea/references/").content.decode()
    assert "overruled by Lena.Lead Example" in page
    assert "The warm one took a short cut." in page
    assert client(cast.lead).post(url, {"attempt": "policy"}).status_code == 302
    assert Reference.objects.get(is_current=True).attempt == done.attempts.get(kind="warm")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"passed": None, "evaluated_at": None}, "It is replayed once it has passed."),
        ({"passed": False}, "Only attempts that passed are replayed."),
        ({"passed": True}, "Not replayed yet."),
    ],
)
def test_why_an_attempt_was_not_replayed_is_said(cast: Cast, done: Round, changed: dict[str, Any], said: str) -> None:
    warm = attempt_of(done, "warm")
    Replay.objects.all().delete()
    Attempt.objects.filter(pk=warm.pk).update(**changed)
    page = f"/studies/tea/attempts/{warm.pk}/"
    assert said in client(cast.lead).get(page).content.decode()
    Round.objects.filter(pk=done.pk).update(set_aside="removed")
    assert "its recording was removed, for the person" in client(cast.lead).get(page).content.decode().lower()


def test_another_policy_on_the_page(cast: Cast, done: Round) -> None:
    verify(done)
    assert client(cast.lead).post("/studies/tea/references/policy/", {"policy": "first"}).status_code == 302
    assert Reference.objects.get(is_current=True).policy == "first"
    assert client(cast.lead).post("/studies/tea/references/policy/", {"policy": "mine"}).status_code == 400


def test_the_page_asks_no_more_for_more_rows(cast: Cast, done: Round) -> None:
    verify(done)
    lead = client(cast.lead)
    lead.get("/studies/tea/references/")
    with CaptureQueriesContext(connection) as one:
        lead.get("/studies/tea/references/")
    verify(complete(cast, cast.bob))
    with CaptureQueriesContext(connection) as two:
        lead.get("/studies/tea/references/")
    assert len(two) == len(one)
