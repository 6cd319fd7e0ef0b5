"""The plan page: asked for, waited for, shown, taken as a file, applied; freezing and closing; replans with their difference."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotate.actions import rounds
from annotate.design.kept import Kept
from annotate.design.model import Plan, read_design
from annotate.models import Amendment, Assignment, Attempt, AuditEntry, Participation, Round, Study, StudyRole, Task
from tasks_admin.studies import hours, plan_files, plan_page, readiness
from tests.cast import Cast
from tests.design.check import broken
from tests.designed import draft_study, found, light_cast, next_of, part, planned, running

pytestmark = pytest.mark.django_db
cast = light_cast


@pytest.fixture
def client(cast: Cast) -> Client:
    made = Client()
    made.force_login(cast.lead)
    return made


def text(reply: Any) -> str:
    return str(reply.content.decode())


def test_a_plan_is_asked_for_waited_for_shown_and_applied(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    assert "No plan yet" in text(client.get("/studies/plan-me/plan/"))
    assert client.post("/studies/plan-me/plan/").status_code == 302
    page = text(client.get("/studies/plan-me/plan/"))
    assert 'data-wait="/studies/plan-me/plan/1/status/"' in page
    assert client.get("/studies/plan-me/plan/1/status/").json() == {"state": "queued", "stage": "", "open": True}
    assert client.post("/studies/plan-me/plan/").status_code == 409
    assert client.get("/studies/plan-me/plan/1/plan.json").status_code == 404
    cast.work.run()
    assert client.get("/studies/plan-me/plan/1/status/").json()["open"] is False
    page = text(client.get("/studies/plan-me/plan/?person=P1"))
    for words in ("Apply this plan", "best", "P1 in order", "Again by", "stated: 15 s for each expected step"):
        assert words in page
    reply = client.post("/studies/plan-me/plan/1/apply/")
    assert reply.headers["Location"] == "/studies/plan-me/state/"
    assert Assignment.objects.filter(participation__study=study).exclude(role="practice").count() == 20
    assert "applied" in text(client.get("/studies/plan-me/plan/"))
    assert client.post("/studies/plan-me/plan/1/apply/").status_code == 409


def test_a_plan_of_an_earlier_design_cannot_be_applied(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    found(cast, study)
    Study.objects.filter(pk=study.pk).update(seed=1)
    page = text(client.get("/studies/plan-me/plan/"))
    assert "of an earlier design" in page
    assert "Apply this plan" not in page
    reply = client.post("/studies/plan-me/plan/1/apply/")
    assert (reply.status_code, "Find a plan again" in text(reply)) == (409, True)


def test_conflicts_lead_to_the_field_that_helps(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    study.participations.filter(tier="primary").update(exclusions=["bakery"])
    found(cast, study)
    page = text(client.get("/studies/plan-me/plan/"))
    assert "Nobody may do bakery" in page
    assert 'href="/studies/plan-me/edit/people/#people"' in page


@pytest.mark.parametrize(
    ("sentence", "field"),
    [
        ("The panel takes 4 tasks of each environment × difficulty, but gmail/easy has 2.", "panel_n"),
        ("The panel is empty: the design has no task.", "environments"),
        ("3 duplicates of gmail/easy are wanted, but the panel has 2 tasks there.", "duplicates_n"),
        ("Only P1 and P3 may do gmail; they have 30 places left, 40 are needed.", "people"),
        ("The solver found no plan in its time.", ""),
    ],
)
def test_every_conflict_has_its_remedy(sentence: str, field: str) -> None:
    assert plan_page.remedy(sentence)[1] == field


def test_the_files_hold_the_plan_and_no_formula(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    draft = found(cast, study)
    plan = Plan.model_validate(json.loads(client.get("/studies/plan-me/plan/1/plan.json").content))
    assert broken(read_design(draft.design), plan) == []
    reply = client.get("/studies/plan-me/plan/1/plan.csv")
    rows = list(csv.DictReader(io.StringIO(text(reply))))
    assert len(rows) == len(plan.assignments)
    assert [row["code"] for row in rows] == sorted(row["code"] for row in rows)
    assert "plan-me-plan-1.csv" in reply.headers["Content-Disposition"]
    assert client.get("/studies/plan-me/plan/1/plan.xls").status_code == 404
    assert client.get("/studies/plan-me/plan/7/plan.csv").status_code == 404
    assert [plan_files.safe(value) for value in ("=1+1", "@x", "-x", 3, "a-b")] == ["'=1+1", "'@x", "'-x", 3, "a-b"]


def test_a_viewer_looks_and_changes_nothing(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    found(cast, study)
    StudyRole.objects.filter(study=study).update(role="viewer")
    page = text(client.get("/studies/plan-me/plan/"))
    assert "Apply this plan" not in page
    assert "Find a plan" not in page.replace("Find a plan again.", "")
    assert client.post("/studies/plan-me/plan/").status_code == 404
    assert client.post("/studies/plan-me/plan/1/apply/").status_code == 404


def test_hours_are_stated_until_enough_is_measured(cast: Cast) -> None:
    study = running(cast)
    draft = study.plans.get()
    design, plan = read_design(draft.design), Plan.model_validate(draft.result)
    steps = hours.steps_of(draft.tasks)
    assert set(steps.values()) == {6}
    kept = hours.Pace(15, 120, "")
    stated = hours.hours_of(design, list(plan.assignments), steps, kept)
    assert stated["D1"] == pytest.approx(4 * (2 * 6 * 15 + 120) / 3600)
    for number, assignment in enumerate(Assignment.objects.filter(participation__study=study, role="primary")):
        measured(assignment, seconds=60 + number)
    pace = hours.pace_of(study, Kept())
    assert pace.words.startswith("measured: 11.")
    assert (pace.per_step, pace.around) == (pytest.approx(67.5 / 6), 120)
    Attempt.objects.filter(kind="warm").delete()
    assert hours.pace_of(study, Kept()).words.startswith("stated: 15 s for each expected step (16 attempts")


def measured(assignment: Assignment, seconds: int) -> None:
    """A complete round of two attempts that took so long."""
    began = assignment.participation.study.created_at
    round_ = Round.objects.create(
        assignment=assignment,
        participation=assignment.participation,
        number=1,
        state="complete",
        control_seen_at=began,
        ended_at=began,
    )
    for kind in ("cold", "warm"):
        end = began + timedelta(seconds=seconds)
        Attempt.objects.create(round=round_, kind=kind, started_at=began, evaluate_at=end)


def test_tasks_without_expected_steps_count_as_the_others(cast: Cast) -> None:
    draft = found(cast, draft_study(cast.lead))
    names = list(draft.tasks)
    Task.objects.filter(pk=draft.tasks[names[0]]).update(expected_steps=None)
    assert hours.steps_of(draft.tasks)[names[0]] == 6
    Task.objects.update(expected_steps=None)
    assert set(hours.steps_of(draft.tasks).values()) == {hours.UNKNOWN_STEPS}


# ---- freezing and closing


def words_in_the_way(study: Study) -> str:
    return " ".join(check.words for check in readiness.in_the_way(study))


def test_freezing_says_what_is_missing(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    study.texts.filter(kind="guidelines").delete()
    assert words_in_the_way(study) == "The guidelines are missing. No plan is applied: nobody has anything to do."
    reply = client.post("/studies/plan-me/state/", {"act": "freeze", "version": "1"})
    assert (reply.status_code, "can&#x27;t be frozen yet" in text(reply)) == (409, True)
    study.refresh_from_db()
    assert study.state == "draft"


def test_freezing_notices_a_design_that_changed_and_people_without_work(cast: Cast) -> None:
    study = planned(cast)
    assert words_in_the_way(study) == ""
    Participation.objects.create(study=study, code="P9")
    assert "changed since: find and apply a plan again" in words_in_the_way(study)
    assert "P9 has nothing to do" in words_in_the_way(study)
    study.participations.update(is_active=False)
    assert "Nobody takes part" in words_in_the_way(study)


def test_a_study_is_frozen_once_and_closed_once(cast: Cast, client: Client) -> None:
    study = planned(cast)
    assert "Freeze the study" in text(client.get("/studies/plan-me/state/"))
    old = {"act": "freeze", "version": str(study.version)}
    assert client.post("/studies/plan-me/state/", {**old, "version": str(study.version + 1)}).status_code == 409
    assert client.post("/studies/plan-me/state/", old).status_code == 302
    again = client.post("/studies/plan-me/state/", old)
    assert (again.status_code, "frozen already" in text(again)) == (409, True)
    study.refresh_from_db()
    rounds.open_round(part(study, "P1").person, practice(study))  # type: ignore[arg-type]
    assert "<strong>P1</strong> has" in text(client.get("/studies/plan-me/state/"))
    close = {"act": "close", "version": str(study.version), "reason": "enough", "confirm": study.slug}
    unsure = client.post(
        "/studies/plan-me/state/",
        {**close, "confirm": ""},
        headers={"Referer": "http://testserver/studies/plan-me/state/"},
    )
    assert (unsure.status_code, "plan-me, to confirm it" in text(unsure)) == (400, True)
    assert 'href="http://testserver/studies/plan-me/state/">Back to the page before' in text(unsure)
    assert client.post("/studies/plan-me/state/", close).status_code == 302
    assert client.post("/studies/plan-me/state/", close).status_code == 409
    assert Round.objects.get().state == "preparing"  # it may be finished
    entries = AuditEntry.objects.filter(study=study, action__endswith="study").values_list("action", "why")
    assert set(entries) == {("freeze study", ""), ("close study", "enough")}


def practice(study: Study) -> Assignment:
    return Assignment.objects.get(participation__study=study, participation__code="P1", role="practice")


@pytest.mark.parametrize(
    "form", [{}, {"act": "freeze"}, {"act": "melt", "version": "1"}, {"act": "close", "version": "x"}]
)
def test_forms_that_say_nothing_change_nothing(cast: Cast, client: Client, form: dict[str, str]) -> None:
    planned(cast)
    assert client.post("/studies/plan-me/state/", form).status_code == 400


def test_an_imported_plan_can_be_frozen_as_it_is(cast: Cast) -> None:
    study = planned(cast)
    study.plans.all().delete()
    assert words_in_the_way(study) == ""
    assert any("imported from a ready-made plan" in check.words for check in readiness.checks(study))


# ---- replans


def test_a_replan_shows_its_difference_before_it_is_applied(cast: Cast, client: Client) -> None:
    study = running(cast)
    study.participations.filter(code="P2").update(is_active=False)
    assert client.post("/studies/plan-me/plan/").status_code == 302
    cast.work.run()
    page = text(client.get("/studies/plan-me/plan/"))
    assert "Replan 2" in page
    assert "What changes" in page
    before = list(Assignment.objects.order_by("pk").values_list("pk", "state", "participation__code"))
    assert client.post("/studies/plan-me/plan/2/apply/").status_code == 400
    assert list(Assignment.objects.order_by("pk").values_list("pk", "state", "participation__code")) == before
    assert client.post("/studies/plan-me/plan/2/apply/", {"reason": "P2 left"}).status_code == 302
    assert Amendment.objects.get().reason == "P2 left"
    assert "P2 left" in text(client.get("/studies/plan-me/amendments/"))


def test_a_replan_whose_work_was_begun_meanwhile_says_to_look_again(cast: Cast, client: Client) -> None:
    study = running(cast)
    study.participations.filter(code="P1").update(capacity=1)
    draft = found(cast, study)
    moved = Assignment.objects.get(pk=draft.changes[0]["assignment"])
    rounds.open_round(part(study, "P1").person, moved)  # type: ignore[arg-type]
    reply = client.post("/studies/plan-me/plan/2/apply/", {"reason": "less time"})
    assert (reply.status_code, "look at it once more" in text(reply)) == (409, True)


def test_the_page_of_a_replan_that_moves_nothing(cast: Cast, client: Client) -> None:
    found(cast, running(cast))
    assert "Nothing has to move" in text(client.get("/studies/plan-me/plan/"))
    assert "Replan 2" not in text(client.get("/studies/plan-me/plan/1/"))


def test_queries_do_not_grow_with_the_plan(cast: Cast, client: Client) -> None:
    study = draft_study(cast.lead)
    counts = []
    for panel in ({"rule": "per_cell", "n": 1}, {"rule": "all"}):
        Study.objects.filter(pk=study.pk).update(design=study.design | {"panel": panel})
        study.refresh_from_db()
        found(cast, study)
        with CaptureQueriesContext(connection) as queries:
            page = client.get("/studies/plan-me/plan/")
        assert len(page.content) < 300_000
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_an_open_assignment_is_what_next_of_says(cast: Cast) -> None:
    assert next_of(running(cast), "P1").position == 1
