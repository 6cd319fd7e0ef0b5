"""Leaving a study: asked for, taken back, carried out; what goes, what stays, and that figures stay right."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.test import Client

from annotate.actions import leaving, removing, rounds
from annotate.actions.people import invite
from annotate.errors import MovedOn, NotYet
from annotate.models import (
    Attempt,
    AuditEntry,
    Cleaning,
    Participation,
    Person,
    Picture,
    Rating,
    Reference,
    Replay,
    ReplayStep,
    ReviewItem,
    Round,
    Study,
    Transition,
    Withdrawal,
)
from recorder.models import CaptureChunk, CapturedPage, Document, Event, Recording
from tasks_admin.exports.rows import attempts_to_export, counted
from tasks_admin.exports.rows_of_rounds import rating_rows
from tests.annotate.test_races import at_once
from tests.annotate.test_rounds import complete, ready
from tests.cast import Cast


def part_of(person: Person, study: str = "tea") -> Participation:
    return Participation.objects.select_related("study", "person").get(person=person, study__slug=study)


def policy(cast: Cast, name: str) -> None:
    Study.objects.filter(pk=cast.study.pk).update(options=cast.study.options | {"withdrawal": name})


def gone(cast: Cast, name: str) -> Participation:
    """Ann has asked to leave under that policy, and it was carried out."""
    policy(cast, name)
    part = part_of(cast.ann)
    leaving.carry_out(leaving.ask_to_leave(part, name, "I move abroad"), cast.lead)
    cast.work.run()
    return Participation.objects.get(pk=part.pk)


def test_asking_ends_the_open_round_and_asks_for_nothing_more(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    leaving.ask_to_leave(part_of(cast.ann), "keep_data")
    round_ = cast.fresh(round_)
    assert (round_.state, round_.cause, round_.assignment.state) == ("abandoned", "left_study", "not_started")
    with pytest.raises(NotYet, match="no longer take part"):
        rounds.open_round(cast.ann, cast.assignment(cast.ann))
    assert AuditEntry.objects.get(action="ask to leave").actor is None  # the log names no annotator


def test_asked_twice_it_is_one_wish(cast: Cast) -> None:
    results = at_once(*[lambda: leaving.ask_to_leave(part_of(cast.ann), "keep_data")] * 2)
    assert results[0].pk == results[1].pk
    assert Withdrawal.objects.count() == 1


def test_a_policy_that_changed_meanwhile_is_told(cast: Cast) -> None:
    policy(cast, "remove_data")
    with pytest.raises(MovedOn):
        leaving.ask_to_leave(part_of(cast.ann), "keep_data")
    assert part_of(cast.ann).is_active


def test_it_can_be_taken_back_until_it_is_carried_out(cast: Cast) -> None:
    wish = leaving.ask_to_leave(part_of(cast.ann), "keep_data")
    results = at_once(lambda: leaving.take_back(wish), lambda: leaving.carry_out(wish, cast.lead))
    assert sorted(isinstance(result, MovedOn) for result in results) == [False, True]
    part = Participation.objects.get(pk=wish.participation_id)
    assert part.is_active is (part.person is not None)


def test_account_data_goes_and_the_bare_row_stays(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.ann)
    complete(cast, cast.ann)
    invite(cast.ann)
    gone(cast, "keep_data")
    person = Person.objects.get(pk=cast.ann.pk)
    assert (person.email, person.name, person.is_active) == (f"removed-{person.pk}@removed.invalid", "", False)
    assert not person.has_usable_password()
    assert not person.invitations.exists()
    assert client.get("/work/").status_code == 302
    decoded = [session.get_decoded().get("_auth_user_id") for session in Session.objects.all()]
    assert str(person.pk) not in decoded
    links = (Participation, Round)
    assert [model.objects.filter(person=person).exists() for model in links] == [False, False]
    assert not Transition.objects.filter(actor=person).exists()


def test_an_account_that_is_needed_elsewhere_stays(cast: Cast) -> None:
    other = Study.objects.get(slug="coffee")
    Participation.objects.create(study=other, person=cast.ann, code="P9")
    gone(cast, "keep_data")
    person = Person.objects.get(pk=cast.ann.pk)
    assert (person.email, person.is_active) == (cast.ann.email, True)
    assert list(person.participations.values_list("code", flat=True)) == ["P9"]


def test_kept_data_goes_on_counting_under_the_code(cast: Cast) -> None:
    round_ = complete(cast, cast.ann)
    part = gone(cast, "keep_data")
    assert (part.code, part.person) == ("P1", None)
    assert [attempt.round_id for attempt in counted(cast.study)] == [round_.pk] * 2
    assert Event.objects.exists()


def test_removed_data_is_gone_and_leaves_the_figures(cast: Cast, settings: LazySettings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    mine, others = complete(cast, cast.ann), complete(cast, cast.bob)
    rounds.rate(mine, {"clarity": 4}, "a private remark")
    for recording in Recording.objects.all():
        page = CapturedPage.objects.create(recording=recording, page="p", time_origin=1.0)
        CaptureChunk.objects.create(page=page, n=0, events=1, first=0, last=0, size=1, body=b"x")
    shown, shared = (picture(cast, name) for name in ("one", "two"))
    warm = mine.attempts.get(kind="warm")
    for attempt, seen in ((warm, (shown, shared)), (others.attempts.get(kind="warm"), (shared, shared))):
        replay = Replay.objects.get(attempt=attempt)
        ReplayStep.objects.create(replay=replay, index=0, type="click", outcome="done", before=seen[0], after=seen[1])
    assert ReviewItem.objects.filter(round=mine).exists()
    gone(cast, "remove_data")
    mine = cast.fresh(mine)
    assert not ReviewItem.objects.filter(round=mine).exists()
    assert (mine.state, mine.set_aside, mine.assignment.state) == ("complete", "removed", "withdrawn")
    assert {attempt.round_id for attempt in counted(cast.study)} == {others.pk}
    assert {attempt.round_id for attempt in attempts_to_export(cast.study)} == {others.pk}
    assert list(rating_rows(cast.study)) == []
    assert not Rating.objects.exists()
    assert Recording.objects.count() == Attempt.objects.filter(recording__isnull=False).count() == 2
    assert set(Event.objects.values_list("recording__attempt__round", flat=True)) == {others.pk}
    assert set(Document.objects.values_list("recording__attempt__round", flat=True)) == {others.pk}
    assert set(Cleaning.objects.values_list("attempt__round", flat=True)) == {others.pk}
    assert set(CaptureChunk.objects.values_list("page__recording__attempt__round", flat=True)) == {others.pk}
    bare = Attempt.objects.get(pk=warm.pk)
    assert {bare.score, bare.passed, bare.verdict, bare.proof, bare.backend_record, bare.raw_events} == {None}
    assert list(Picture.objects.all()) == [shared]
    assert not shown.file.storage.exists(str(shown.file.name))
    assert shared.file.storage.exists(str(shared.file.name))
    assert not Reference.objects.filter(is_current=True, attempt__round=mine).exists()
    assert removing.remove_left() == 0


def picture(cast: Cast, name: str) -> Picture:
    made = Picture(content_hash=name * 10, media_type="image/png", width=1, height=1, size=1)
    made.file.save(f"{name}.png", ContentFile(b"x"), save=True)
    return made


def test_a_removal_that_a_stopped_worker_left_is_taken_up(cast: Cast) -> None:
    complete(cast, cast.ann)
    policy(cast, "remove_data")
    leaving.carry_out(leaving.ask_to_leave(part_of(cast.ann), "remove_data"), cast.lead)
    cast.work.queue.clear()
    assert removing.remove_left() == 2
    assert not Event.objects.exists()


def test_the_pages_of_leaving(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.ann)
    url = "/work/tea/leave/"
    page = client.get(url).content.decode()
    assert "goes on being counted" in page
    assert "Your account with it" in page
    assert client.post(url, {"policy": "remove_data"}).status_code == 409
    assert client.post(url, {"policy": "keep_data", "words": "bye\x00"}).status_code == 302
    assert client.post(url, {"policy": "keep_data"}).status_code == 200  # it is noted already
    assert "take it back" in client.get("/work/").content.decode()
    assert client.post("/work/tea/stay/").status_code == 302
    assert client.post("/work/tea/stay/").status_code == 404
    assert part_of(cast.ann).is_active
    Participation.objects.filter(person=cast.ann).update(is_active=False)
    assert client.get(url).status_code == 404
