"""What leads do with assignments: return, withdraw, end a stuck round; what counts afterwards."""

from __future__ import annotations

import pytest
from django.test import Client

from annotate import queries
from annotate.actions import rounds
from annotate.actions.assignments import end_stuck_round, return_assignment, withdraw_assignment
from annotate.errors import BadInput, MovedOn, NotYet
from annotate.models import Assignment, Attempt, AuditEntry, Note, Participation, Round, Study
from tasks_admin.exports.rows import counted, status_of
from tests.annotate.test_rounds import complete, ready
from tests.cast import Cast


def fresh(cast: Cast) -> Assignment:
    return Assignment.objects.select_related("participation__study").get(pk=cast.assignment(cast.ann).pk)


def test_a_returned_assignment_is_done_again_and_counts_once(cast: Cast) -> None:
    first = complete(cast, cast.ann)
    note = return_assignment(fresh(cast), cast.lead, "  The cart was left full; please do it once more. ")
    assert (note.text, note.read_at) == ("The cart was left full; please do it once more.", None)
    assert cast.assignment(cast.ann).state == "not_started"
    assert counted(cast.study).count() == 2  # the earlier round counts until there is a better one
    second = complete(cast, cast.ann)
    first = cast.fresh(first)
    assert (second.number, second.counts, first.counts) == (2, True, False)
    assert (first.state, first.set_aside, status_of(first)) == ("complete", "superseded", "superseded")
    assert set(counted(cast.study).values_list("round", flat=True)) == {second.pk}
    assert Attempt.objects.filter(queries.counted("round__")).count() == 2
    entry = AuditEntry.objects.get(action="return assignment")
    assert (entry.actor, entry.subject) == (cast.lead, "P1: toyshop/buy-tea, clean")


def test_the_message_stands_on_the_dashboard_until_it_is_read(cast: Cast) -> None:
    complete(cast, cast.ann)
    note = return_assignment(fresh(cast), cast.lead, "Please <b>again</b>")
    client, other = Client(), Client()
    client.force_login(cast.ann)
    other.force_login(cast.bob)
    assert "Please &lt;b&gt;again&lt;/b&gt;" in client.get("/work/").content.decode()
    assert "again&lt;/b&gt;" not in other.get("/work/").content.decode()
    assert other.post(f"/notes/{note.pk}/read/").status_code == 404
    assert client.post(f"/notes/{note.pk}/read/").status_code == 302
    assert "again&lt;/b&gt;" not in client.get("/work/").content.decode()


def test_what_cannot_be_returned_says_why(cast: Cast) -> None:
    with pytest.raises(MovedOn):
        return_assignment(fresh(cast), cast.lead, "again")
    complete(cast, cast.ann)
    with pytest.raises(BadInput, match="Say in a sentence"):
        return_assignment(fresh(cast), cast.lead, " \n")
    Participation.objects.filter(person=cast.ann).update(is_active=False)
    with pytest.raises(NotYet, match="P1 no longer takes part"):
        return_assignment(fresh(cast), cast.lead, "again")
    Study.objects.filter(pk=cast.study.pk).update(state="closed")
    with pytest.raises(NotYet, match="not running"):
        return_assignment(fresh(cast), cast.lead, "again")
    assert fresh(cast).state == "complete"
    assert not Note.objects.exists()
    assert not AuditEntry.objects.exists()


def test_a_withdrawn_assignment_counts_no_more(cast: Cast) -> None:
    round_ = complete(cast, cast.ann)
    withdraw_assignment(fresh(cast), cast.lead, "the task is broken")
    assert fresh(cast).state == "withdrawn"
    assert (cast.fresh(round_).state, cast.fresh(round_).set_aside) == ("complete", "withdrawn")
    assert counted(cast.study).count() == 0
    with pytest.raises(MovedOn):
        return_assignment(fresh(cast), cast.lead, "again")


def test_an_open_round_is_not_withdrawn_from_under_its_person(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    with pytest.raises(NotYet, match="A round of it is open"):
        withdraw_assignment(fresh(cast), cast.lead, "the task is broken")
    assert cast.fresh(round_).state == "preparing"


def test_a_stuck_round_is_ended_and_its_person_told(cast: Cast) -> None:
    round_ = ready(cast, cast.ann)
    rounds.start_attempt(round_, cast.ann)
    with pytest.raises(BadInput):
        end_stuck_round(cast.fresh(round_), cast.lead, "")
    end_stuck_round(cast.fresh(round_), cast.lead, "the shop hangs")
    round_ = cast.fresh(round_)
    assert (round_.state, round_.cause, round_.reason) == ("void", "ended_by_lead", "the shop hangs")
    assert fresh(cast).state == "not_started"
    assert "the shop hangs" in Note.objects.get().text
    with pytest.raises(MovedOn):
        end_stuck_round(round_, cast.lead, "again")
    assert Round.objects.filter(state__in=Round.OPEN).count() == 0
