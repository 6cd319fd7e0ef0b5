"""How far a study is: cells, people and their pace, who records now, and the way to the assignments behind each number."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate import tallies
from annotate.actions import rounds
from annotate.actions.assignments import return_assignment, withdraw_assignment
from annotate.models import Assignment, Attempt, Participation, Person, Round, StudyRole, Tally
from tasks_admin import paging, progress
from tasks_admin.live import stuck_why
from tasks_admin.models import Upload
from tasks_admin.pace import pace
from tests.annotate.test_rounds import complete, ready
from tests.cast import Cast, person
from tests.tasks_admin.test_pages import more
from tests.tasks_admin.test_review_pages import client as signed_in

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def client_of(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.lead)
    return client


def page(client: Client, path: str) -> str:
    reply = client.get(f"/studies/tea/{path}")
    assert reply.status_code == 200
    return reply.content.decode()


def test_each_cell_tells_done_running_returned_and_missing(cast: Cast) -> None:
    more(cast.study, 0, 4)  # hard, clean, all complete
    first, second, third, _ = Assignment.objects.filter(participation__code__startswith="X").order_by("pk")
    return_assignment(first, cast.lead, "again")
    withdraw_assignment(second, cast.lead, "broken")
    Assignment.objects.filter(pk=third.pk).update(state="in_round")
    (row, _) = progress.heat_map(tallies.count(cast.study), "primary", {})
    cell = next(one for one in row.cells if one.difficulty == "hard")
    assert (row.environment, row.condition) == ("toyshop", "clean")
    assert (cell.done, cell.running, cell.returned, cell.missing, cell.total, cell.level) == (1, 1, 1, 0, 3, "done-1")
    assert progress.heat_map(tallies.count(cast.study), "duplicate", {}) == []


def test_a_cell_leads_to_its_assignments(cast: Cast) -> None:
    more(cast.study, 0, 3)
    client = client_of(cast)
    link = "assignments/?environment=toyshop&amp;condition=clean&amp;difficulty=hard&amp;role=primary"
    assert link in page(client, "")
    listed = page(client, link.replace("&amp;", "&"))
    assert [title in listed for title in ("T0", "T1", "T2", "Buy tea")] == [True, True, True, False]
    assert "Buy tea" in page(client, "assignments/?state=missing")
    assert "No assignment fits" in page(client, "assignments/?state=withdrawn")
    assert page(client, "assignments/?state=nonsense&role=x&page=y")
    assert client.get("/studies/tea/assignments/?person=%00").status_code == 400


def test_the_study_pages_filters_live_in_the_address(cast: Cast) -> None:
    more(cast.study, 0, 1)
    shown = page(client_of(cast), "?condition=intervention")
    assert "condition=intervention&amp;difficulty=easy" in shown
    assert "condition=clean&amp;difficulty=hard" not in shown


def test_pace_is_of_the_last_two_weeks_and_never_of_a_first_hour() -> None:
    assert pace(0, None, 10, NOON, 14 * DAY).ends_at is None
    hour = pace(4, NOON - DAY / 24, 8, NOON, 14 * DAY)
    assert (hour.per_day, hour.ends_at) == (4.0, NOON + 2 * DAY)
    old = pace(28, NOON - 100 * DAY, 6, NOON, 14 * DAY)
    assert (old.per_day, old.ends_at) == (2.0, NOON + 3 * DAY)
    assert pace(28, NOON - 100 * DAY, 0, NOON, 14 * DAY).ends_at is None


def test_the_end_is_that_of_the_slowest_and_names_who_has_no_pace(cast: Cast) -> None:
    complete(cast, cast.ann)
    end = progress.expected_end(tallies.count(cast.study))
    assert (end.at, end.unknown) == (None, ["P2"])


def test_who_records_now_and_what_is_stuck(cast: Cast) -> None:
    client = client_of(cast)
    assert "Nobody just now" in page(client, "now/")
    round_ = ready(cast, cast.ann)
    shown = page(client, "now/")
    assert "P1" in shown
    assert "End it" not in shown
    Round.objects.filter(pk=round_.pk).update(control_seen_at=timezone.now() - timedelta(minutes=1))
    assert "its control tab is silent" in page(client, "now/")


@pytest.mark.parametrize(
    ("attempt", "why"),
    [
        ({"error": "x"}, "could not be prepared"),
        ({"error": "x", "evaluate_at": NOON}, "could not be scored"),
        ({"evaluate_at": NOON - timedelta(minutes=2), "recording_id": 1}, "its score is not there yet"),
        ({"evaluate_at": NOON, "recording_id": 1}, ""),
        ({}, "its website is not prepared yet"),
    ],
)
def test_why_a_round_seems_stuck(attempt: dict[str, object], why: str) -> None:
    round_ = Round(control_seen_at=NOON, opened_at=NOON)
    told = stuck_why(round_, Attempt(created_at=NOON - timedelta(minutes=5), **attempt), NOON)
    assert told.endswith(why) if why else told == ""


def test_a_stuck_round_is_ended_from_the_assignments_page(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    client, url = client_of(cast), f"/studies/tea/assignments/{round_.assignment_id}/"
    assert "End round 1" in client.get(url).content.decode()
    assert client.post(f"{url}end-round/", {"round": "1", "why": " "}).status_code == 400
    assert client.post(f"{url}end-round/", {"round": "2", "why": "hangs"}).status_code == 409
    assert client.post(f"{url}end-round/", {"round": "1", "why": "hangs"}).status_code == 302
    assert client.post(f"{url}end-round/", {"round": "1", "why": "hangs"}).status_code == 409
    shown = client.get(url).content.decode()
    assert "“hangs”" in shown
    assert "I have ended round 1" in shown


def test_an_assignment_is_returned_and_withdrawn_from_its_page(cast: Cast) -> None:
    round_ = complete(cast, cast.ann)
    client, url = client_of(cast), f"/studies/tea/assignments/{round_.assignment_id}/"
    assert client.post(f"{url}return/", {"message": ""}).status_code == 400
    assert client.post(f"{url}return/", {"message": "once more"}).status_code == 302
    assert client.post(f"{url}return/", {"message": "once more"}).status_code == 409
    assert "returned" in client.get(url).content.decode()
    assert client.post(f"{url}withdraw/", {"why": "broken"}).status_code == 302
    assert "withdrawn" in client.get(url).content.decode()
    assert Assignment.objects.get(pk=round_.assignment_id).is_returned is False


def test_a_viewer_looks_and_changes_nothing(cast: Cast) -> None:
    round_ = complete(cast, cast.ann)
    StudyRole.objects.create(study=cast.study, person=cast.bob, role="viewer")
    client, url = Client(), f"/studies/tea/assignments/{round_.assignment_id}/"
    client.force_login(cast.bob)
    shown = client.get(url).content.decode()
    assert "Return it" not in shown
    assert "Withdraw" not in shown
    assert [client.post(f"{url}{act}/", {}).status_code for act in ("return", "withdraw", "end-round")] == [404] * 3


def test_a_large_study_is_counted_by_the_worker(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallies, "LARGE", 2)
    client = client_of(cast)
    page(client, "")
    assert Tally.objects.get().body["done"] == 0
    complete(cast, cast.ann)
    assert tallies.of(cast.study)[0]["done"] == 0  # some seconds old at most
    Tally.objects.update(at=timezone.now() - timedelta(seconds=20))
    page(client, "")
    page(client, "")
    assert cast.work.queue.count(("count_study", cast.study.pk)) == 1
    cast.work.run()
    assert tallies.of(cast.study)[0]["done"] == 1


@pytest.mark.parametrize("path", ["/studies/tea/", "/studies/tea/now/", "/studies/tea/assignments/", "/studies/"])
def test_queries_do_not_grow_with_people_and_open_rounds(cast: Cast, path: str) -> None:
    client, counts = client_of(cast), []
    for start in (0, 20):
        more(cast.study, start, 5 if start == 0 else 20)
        open_some(cast)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(path).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def open_some(cast: Cast) -> None:
    for part in Participation.objects.filter(study=cast.study, rounds__state="complete").exclude(person=cast.ann):
        assignment = part.assignments.get()
        if assignment.state == "complete":
            return_assignment(assignment, cast.lead, "again")
            Participation.objects.filter(pk=part.pk).update(
                consent=cast.study.texts.get(kind="consent"), guidelines_read_at=timezone.now()
            )
            assert part.person is not None
            fresh = Assignment.objects.select_related("participation__study").get(pk=assignment.pk)
            rounds.open_round(part.person, fresh)


def test_long_lists_stop_at_a_stated_number(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    more(cast.study, 0, 5)
    monkeypatch.setattr(paging, "LISTED", 4)
    shown = page(client_of(cast), "assignments/")
    assert "more than 4" in shown
    assert "The first 4 are listed" in shown


def test_the_rooms_tell_what_waits_and_viewers_are_not_shown_what_they_may_not_enter(cast: Cast) -> None:
    def rooms(who: Person) -> dict[str, tuple[str, bool]]:
        groups = signed_in(who).get("/studies/tea/").context["rooms"]
        assert [group["title"] for group in groups] == ["Set up", "Watch", "Decide", "Compare", "Publish"]
        return {room["name"]: (room["state"], room["waits"]) for group in groups for room in group["rooms"]}

    Upload.objects.create(study=cast.study, kind="labels", state="asks", name="j.csv", size=1, sent_at=timezone.now())
    told = rooms(cast.lead)
    assert (told["Assignments"], told["Review"], told["Runs"]) == (("0 of 2", False), ("0 flags", False), ("0", False))
    assert told["Labels"] == ("1 not imported", True)
    viewer = person("vera.viewer")
    StudyRole.objects.create(study=cast.study, person=viewer, role="viewer")
    assert "Design" not in rooms(viewer)
    assert "Design" in told
