"""An export is given out as long as every word it relies on stands: clearances, people's data, masks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.actions import amendments, leaving, replays, reviews, rounds
from annotate.models import Attempt, Participation, Rating, Reference, Replay, Round, Study
from recorder.capture.ingest import LATE_S, ingest
from recorder.models import Recording
from tasks_admin.exports import asked, bundle, job, released, shelf
from tasks_admin.exports.choice import ALL, Choice
from tasks_admin.models import Clearance, Export
from tasks_admin.release import actions, items
from tests.annotate.test_races import at_once
from tests.annotate.test_rounds import attempt_of, complete, ready, record
from tests.cast import Cast
from tests.recorder.capture.test_ingest import body, seen
from tests.tasks_admin.test_replay_pages import played

pytestmark = pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous")
WITH_ALL = Choice(screenshots=True, captures=True)
KINDS = list(items.KINDS)
WITHOUT = {  # a choice that leaves out all of a kind; amendments are in every bundle
    "comment": Choice(people=("P1",), screenshots=True, captures=True),
    "reason": Choice(people=("P2",)),
    "review": Choice(people=("P1",), screenshots=True, captures=True),
    "picture": Choice(captures=True),
    "capture": Choice(screenshots=True),
    "overruled": Choice(people=("P2",), screenshots=True, captures=True),
}
PAGE = "/studies/tea/export/"


@pytest.fixture
def told(cast: Cast, tmp_path: Path, settings: LazySettings) -> Cast:
    """Bob's comment and why his round was excluded; Ann's reason for abandoning, then a replay and a capture of hers, why hers is the
    reference, and why the study was changed."""
    settings.DATA_DIR = tmp_path
    storage = {"default": {**settings.STORAGES["default"], "OPTIONS": {"location": tmp_path / "files"}}}
    settings.STORAGES = settings.STORAGES | storage
    excluded = complete(cast, cast.bob)
    rounds.rate(excluded, {"clarity": 5}, "the second button was odd, I think")
    _abandoned(cast)
    filmed = complete(cast, cast.ann)
    _filmed(filmed)
    cast.work.run()
    reviews.decide(excluded, cast.lead, "exclude", "The site was down for a minute.")
    Reference.objects.filter(task_condition=filmed.assignment.task_condition).update(is_current=False)
    Reference.objects.create(
        task_condition=filmed.assignment.task_condition,
        attempt=attempt_of(filmed, "cold"),
        policy="best",
        reason="The way most people would take.",
        overruled=True,
    )
    amendments.record(cast.study, cast.lead, "option", "time limit", "Some needed longer.", before=1, after=2)
    return cast


def _abandoned(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    rounds.start_attempt(round_, cast.ann)
    recording = attempt_of(round_, "cold").recording
    assert recording is not None
    record(recording, "click")
    rounds.abandon(cast.fresh(round_), cast.ann, "somebody was at the door")


def _filmed(round_: Round) -> None:
    replays.conclude(Replay.objects.get(attempt__round=round_, attempt__kind="cold"), played())
    recording = attempt_of(round_, "cold").recording
    assert recording is not None
    Recording.objects.filter(pk=recording.pk).update(capture=True)
    snapshot = {"node": {"childNodes": []}}
    ingest(recording.pk, body(0, seen(10.0, 4, href="/"), seen(11.0, 2, **snapshot), final=True))
    long_ago = timezone.now() - timedelta(seconds=LATE_S + 1)
    Recording.objects.filter(pk=recording.pk).update(closed_at=long_ago)


@pytest.fixture
def lead(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.lead)
    return client


def of_kind(cast: Cast, kind: str) -> list[int]:
    return [row.pk for row in items.rows(cast.study, kind)]


def say(cast: Cast, kind: str, *, cleared: bool, only: int | None = None) -> None:
    actions.decide(cast.study, cast.lead, kind, of_kind(cast, kind)[:only], cleared=cleared)


def clear_all(cast: Cast) -> None:
    for kind in KINDS:
        say(cast, kind, cleared=True)


def made(cast: Cast, choice: Choice = WITH_ALL) -> Export:
    export = asked.ask_for(cast.study, cast.lead, choice)
    cast.work.run()
    export.refresh_from_db()
    assert (export.state, export.error) == ("done", "")
    return export


def address(export: Export) -> str:
    return f"{PAGE}{export.pk}/bundle.zip"


def got(client: Client, export: Export, **headers: str) -> int:
    return client.get(address(export), headers=headers).status_code


def reasons(client: Client, export: Export) -> list[str]:
    found: list[str] = client.get(f"{PAGE}{export.pk}/status/").json()["recalled"]
    return found


def test_everything_that_was_cleared_is_noted(told: Cast) -> None:
    clear_all(told)
    held = set(made(told).clearances.values_list("kind", "item"))
    assert held == {(kind, pk) for kind in KINDS for pk in of_kind(told, kind)}
    assert {kind for kind, _ in held} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_withheld_since_is_not_given_out(told: Cast, lead: Client, kind: str) -> None:
    others = [made(told)]
    clear_all(told)
    export = made(told)
    if kind in WITHOUT:
        others.append(made(told, WITHOUT[kind]))
    assert {got(lead, one) for one in (*others, export)} == {200}
    say(told, kind, cleared=False, only=1)
    assert got(lead, export) == 409
    (words,) = reasons(lead, export)
    assert words == f"A lead has since withheld what is in it: 1 {released.WORDS[Clearance.Kind(kind)][0]}."
    assert [(got(lead, one), reasons(lead, one)) for one in others] == [(200, [])] * len(others)
    assert got(lead, made(told)) == 200
    say(told, kind, cleared=True)
    assert got(lead, export) == 200


def test_the_page_tells_it_and_no_request_gets_around(told: Cast, lead: Client) -> None:
    clear_all(told)
    export = made(told)
    say(told, "picture", cleared=False)
    page = lead.get(PAGE).content.decode()
    assert "A lead has since withheld what is in it: 2 screenshots. It is not given out any more." in page
    assert address(export) not in page
    assert "Delete 1 old" in page
    out = StringIO()
    call_command("audit_privacy", "tea", stdout=out)
    assert f"export {export.pk} may not leave any more, and is not given out: A lead has since" in out.getvalue()
    tag = f'"{export.sha256}"'
    assert got(lead, export, range="bytes=0-9") == got(lead, export, if_none_match=tag) == 409
    assert lead.head(address(export)).status_code == 409
    assert "Export again, or delete it" in lead.get(address(export)).content.decode()
    assert asked.delete_old(told.study, told.lead) == 1
    assert not shelf.folder_of(export.pk).exists()


def test_whose_data_was_taken_back_is_in_no_export_that_is_given_out(told: Cast, lead: Client) -> None:
    of_both, of_ann = made(told), made(told, Choice(people=("P1",)))
    Study.objects.filter(pk=told.study.pk).update(options=told.study.options | {"withdrawal": "remove_data"})
    bob = Participation.objects.get(study=told.study, code="P2")
    leaving.carry_out(leaving.ask_to_leave(bob, "remove_data"), told.lead)
    told.work.run()
    assert [got(lead, one) for one in (of_both, of_ann, made(told))] == [409, 200, 200]
    assert reasons(lead, of_both) == [released.TAKEN_BACK]


def test_a_comment_that_was_taken_out_of_a_rating(told: Cast, lead: Client) -> None:
    clear_all(told)
    export, without = made(told), made(told, WITHOUT["comment"])
    rating = Rating.objects.exclude(comment="").get()
    rounds.rate(rating.round, {"clarity": 4}, rating.comment)
    assert (got(lead, export), of_kind(told, "comment")) == (200, [rating.pk])
    rounds.rate(told.fresh(rating.round), {"clarity": 4}, "")
    assert [got(lead, one) for one in (export, without)] == [409, 200]
    assert reasons(lead, export) == [released.REWORDED]
    assert of_kind(told, "comment") == []
    assert not made(told).clearances.filter(kind="comment").exists()


def test_a_comment_that_stands_in_somebody_elses_trace(told: Cast, lead: Client, tmp_path: Path) -> None:
    """It may, once it was cleared: such an export relies on it, too, made in one go or in several."""
    clear_all(told)
    words = Rating.objects.exclude(comment="").get().comment
    attempt = Attempt.objects.get(round__participation__code="P1", round__state="complete", kind="warm")
    attempt.verdict["checks"][0]["detail"] = f"Found: {words}"
    Attempt.objects.filter(pk=attempt.pk).update(verdict=attempt.verdict)
    export = made(told, Choice(people=("P1",)))
    assert got(lead, export) == 200
    say(told, "comment", cleared=False)
    assert [got(lead, export), len(reasons(lead, export))] == [409, 1]


def test_masks_that_were_added(told: Cast, lead: Client) -> None:
    unmasked = made(told)
    actions.set_masks(told.study, told.lead, ["odd", "even"], ["session"])
    assert reasons(lead, unmasked) == [released.MASKED]
    masked = made(told)
    actions.set_masks(told.study, told.lead, ["even"], [])
    assert [got(lead, one) for one in (unmasked, masked)] == [409, 200]
    actions.set_masks(told.study, told.lead, ["even", "prime"], [])
    assert [got(lead, one) for one in (unmasked, masked)] == [409, 409]
    actions.set_masks(told.study, told.lead, [], [])
    assert [got(lead, one) for one in (unmasked, masked)] == [200, 200]


def withheld(cast: Cast) -> None:
    say(cast, "comment", cleared=False)


def taken_back(cast: Cast) -> None:
    Round.objects.filter(participation__code="P2").update(set_aside="removed")


def masked(cast: Cast) -> None:
    actions.set_masks(cast.study, cast.lead, ["odd"], [])


@pytest.mark.parametrize("recall", [withheld, taken_back, masked])
def test_recalled_while_it_is_made(
    told: Cast, lead: Client, monkeypatch: pytest.MonkeyPatch, recall: Callable[[Cast], None]
) -> None:
    """The snapshot still holds it, and so does the file; the finished export tells what stands now."""
    clear_all(told)
    pack = job.write_archive

    def packed(*args: Any, **more: Any) -> None:
        at_once(lambda: recall(told))
        pack(*args, **more)

    monkeypatch.setattr(job, "write_archive", packed)
    export = made(told)
    assert got(lead, export) == 409
    assert len(reasons(lead, export)) == 1


def test_recalled_within_the_snapshot(told: Cast, lead: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    clear_all(told)
    card = bundle.card

    def told_meanwhile(*args: Any) -> str:
        at_once(lambda: withheld(told))
        return card(*args)

    monkeypatch.setattr(bundle, "card", told_meanwhile)
    assert got(lead, made(told)) == 409


def test_the_command_says_so(told: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clear_all(told)
    card = bundle.card

    def told_meanwhile(*args: Any) -> str:
        at_once(lambda: withheld(told))
        return card(*args)

    call_command("export_study", "tea", str(tmp_path / "out"), stdout=StringIO())
    monkeypatch.setattr(bundle, "card", told_meanwhile)
    with pytest.raises(CommandError, match="A lead has since withheld what is in it: 1 comment"):
        call_command("export_study", "tea", str(tmp_path / "out"), stdout=StringIO())


def test_the_page_of_releases_tells_of_exports(told: Cast, lead: Client) -> None:
    clear_all(told)
    made(told)
    form = {
        "kind": "comment",
        "chosen": of_kind(told, "comment"),
        "act": "withhold",
        "as_of": timezone.now().isoformat(),
    }
    page = lead.post("/studies/tea/release/decide/", form, follow=True).content.decode()
    assert "1 text is withheld. 1 export holds it and is not given out any more." in page


def test_asking_takes_no_more_queries_for_more_exports(told: Cast) -> None:
    clear_all(told)
    exports = [made(told)]
    say(told, "picture", cleared=False)

    def queries() -> int:
        with CaptureQueriesContext(connection) as caught:
            assert exports[0].pk in released.recalled(told.study, exports)
        return len(caught)

    few = queries()
    exports += [made(told, ALL) for _ in range(3)]
    assert queries() == few
