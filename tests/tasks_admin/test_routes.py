"""Every route × role: what is nobody's is nobody's; what is somebody's is theirs alone."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotate.actions import rounds
from annotate.actions.people import invite, sample_token
from annotate.models import Attempt, Note, Person, PlanDraft, ReviewItem, Round, Study, StudyRole
from recorder.models import CaptureChunk, CapturedPage, Recording
from tasks_admin.exports.choice import Choice
from tasks_admin.models import Export, LabelImport, Run, RunImport, Upload
from tests.annotate.test_rounds import complete, do_attempt, ready
from tests.cast import Cast, person

# Who gets in, by route name: 200 or a redirect inside; everybody else is answered 404, the signed-out go to the sign-in.
OPEN = {"sign_in", "sign_out", "health", "invitation", "sample"}
EVERYBODY = {"home", "dashboard", "studies", "profile", "change_password"}
TAKING_PART = {"consent", "guidelines", "leave", "own_assignments"}
ANNOTATOR = {*TAKING_PART, "start", "round", "read_note", "stay"}
CREATOR = {"study_new"}
CHANGER = {
    "study_edit",
    "study_state",
    "take_back_runs",
    "take_back_labels",
}  # pages of what only owners and leads change
LEAD = {
    "export",
    "start_export",
    "delete_exports",
    "export_status",
    "cancel_export",
    "export_file",
    "release",
    "release_pictures",
    "release_captures",
    "decide_release",
    "release_masks",
    *CHANGER,
    "study_text",
    "amendments",
    "plan",
    "earlier_plan",
    "plan_status",
    "apply_plan",
    "plan_file",
    "power",
    "power_plot",
    "power_table",
    "comparison",
    "comparison_status",
    "comparison_rows",
    "comparison_table",
    "comparison_plot",
    "make_comparison",
    "study",
    "study_now",
    "people",
    "invite",
    "revoke_invitation",
    "activate",
    "let_go",
    "take_role",
    "assignments",
    "assignment",
    "return_assignment",
    "withdraw_assignment",
    "end_round",
    "attempts",
    "attempt",
    "cleaning",
    "environments",
    "look_at_environment",
    "judge",
    "picture",
    "references",
    "replay_again",
    "reference_policy",
    "overrule_reference",
    "attempt_rows",
    "attempt_event",
    "frames",
    "seen",
    "seen_piece",
    "review",
    "start_review",
    "review_item",
    "claim_review",
    "decide",
    "flag_rules",
    "audit",
    "labels",
    "labels_file",
    "judges_file",
    "label_rows",
    "start_run_labels",
    "run_label",
    "runs",
    "imported_labels",
    "upload",
    "upload_status",
    "drop_upload",
    "start_labels",
    "label",
    "between_people",
    "between_people_file",
    "duplicates",
    "duplicates_file",
    "audit_file",
    "verify_references",
}
OF_ASSIGNMENT = ("assignment", "return_assignment", "withdraw_assignment", "end_round")
OF_PARTICIPATION = ("revoke_invitation", "activate", "let_go")
OWNERS_ONLY = {"invite", "revoke_invitation", "let_go", "take_role"}
LEAD_POSTS = {
    "invite": 409,
    "revoke_invitation": 302,
    "activate": 400,
    "let_go": 302,
    "take_role": 409,
    "apply_plan": 409,
    "return_assignment": 400,
    "withdraw_assignment": 400,
    "end_round": 409,
    "look_at_environment": 302,
    "judge": 400,
    "replay_again": 409,
    "reference_policy": 400,
    "overrule_reference": 400,
    "start_review": 302,
    "claim_review": 200,
    "decide": 400,
    "verify_references": 302,
    "start_labels": 302,
    "start_run_labels": 302,
    "drop_upload": 302,
    "make_comparison": 302,
    "decide_release": 400,
    "release_masks": 302,
    "start_export": 400,
    "cancel_export": 409,
    "delete_exports": 302,
}
EMPTY = {"picture", "comparison_table", "comparison_plot", "export_file"}  # there is none yet
VIEWERS_MAY = {"look_at_environment"}  # of what is posted


def names(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from names(pattern.url_patterns)
        else:
            assert pattern.name, f"{pattern.pattern} has no name"
            yield pattern.name


ALL = sorted(names(get_resolver().url_patterns))
API = {name for name in ALL if name.startswith("api_")}


def test_every_route_is_known_here() -> None:
    assert set(ALL) == OPEN | EVERYBODY | ANNOTATOR | CREATOR | LEAD | API


def address(name: str, cast: Cast, attempt: Attempt) -> str:
    """Of a route; the row that it is about is made where there is none."""
    arguments: dict[str, list[Any]] = {
        "consent": ["tea"],
        "guidelines": ["tea"],
        "leave": ["tea"],
        "own_assignments": ["tea"],
        "stay": ["tea"],
        "people": ["tea"],
        "invite": ["tea"],
        **{name: ["tea", attempt.round.participation_id] for name in OF_PARTICIPATION},
        "take_role": ["tea", 0],
        "start": [attempt.round.assignment_id],
        "study": ["tea"],
        "study_now": ["tea"],
        "assignments": ["tea"],
        **{name: ["tea", attempt.round.assignment_id] for name in OF_ASSIGNMENT},
        "study_edit": ["tea", "about"],
        "study_text": ["tea", "consent", 1],
        "study_state": ["tea"],
        "amendments": ["tea"],
        "plan": ["tea"],
        "earlier_plan": ["tea", lambda: plan_in(cast.study)],
        "plan_status": ["tea", lambda: plan_in(cast.study)],
        "apply_plan": ["tea", lambda: plan_in(cast.study)],
        "plan_file": ["tea", lambda: plan_in(cast.study), "json"],
        "power": ["tea"],
        "power_plot": ["tea"],
        "power_table": ["tea", "by_tasks", "csv"],
        "attempts": ["tea"],
        "cleaning": ["tea"],
        "attempt": ["tea", attempt.pk],
        "replay_again": ["tea", attempt.pk],
        "picture": ["tea", attempt.pk, "0" * 64],
        "references": ["tea"],
        "reference_policy": ["tea"],
        "overrule_reference": ["tea", attempt.round.assignment.task_condition_id],
        "environments": ["tea"],
        "look_at_environment": ["tea", attempt.round.assignment.task_condition.task.environment_id],
        "judge": ["tea", attempt.pk],
        "attempt_rows": ["tea", attempt.pk, "raw"],
        "attempt_event": ["tea", attempt.pk, 0],
        "frames": ["tea", attempt.pk],
        "seen": ["tea", lambda: captured_in(attempt)[0]],
        "seen_piece": ["tea", lambda: captured_in(attempt)[0], lambda: captured_in(attempt)[1], 0],
        "review": ["tea"],
        "start_review": ["tea"],
        "flag_rules": ["tea"],
        "audit": ["tea"],
        "labels": ["tea"],
        "labels_file": ["tea"],
        "judges_file": ["tea"],
        "label_rows": ["tea"],
        "start_run_labels": ["tea"],
        "run_label": ["tea", lambda: run_in(cast.study)],
        "runs": ["tea"],
        "imported_labels": ["tea"],
        "take_back_runs": ["tea", lambda: Run.objects.get(pk=run_in(cast.study)).source_id],
        "take_back_labels": [
            "tea",
            lambda: LabelImport.objects.get_or_create(study=cast.study, name="labels.csv")[0].pk,
        ],
        "upload": ["tea", lambda: upload_in(cast.study)],
        "upload_status": ["tea", lambda: upload_in(cast.study)],
        "drop_upload": ["tea", lambda: upload_in(cast.study)],
        "start_labels": ["tea"],
        "label": ["tea", attempt.pk],
        "between_people": ["tea"],
        "between_people_file": ["tea"],
        "duplicates": ["tea"],
        "duplicates_file": ["tea", "audit.json"],
        "audit_file": ["tea", "csv"],
        "verify_references": ["tea"],
        "comparison": ["tea"],
        "export": ["tea"],
        "start_export": ["tea"],
        "delete_exports": ["tea"],
        "export_status": ["tea", lambda: export_in(cast.study)],
        "cancel_export": ["tea", lambda: export_in(cast.study)],
        "export_file": ["tea", lambda: export_in(cast.study)],
        "release": ["tea"],
        "release_pictures": ["tea"],
        "release_captures": ["tea"],
        "decide_release": ["tea"],
        "release_masks": ["tea"],
        "comparison_status": ["tea"],
        "comparison_rows": ["tea"],
        "make_comparison": ["tea"],
        "comparison_table": ["tea", "people", "csv"],
        "comparison_plot": ["tea", "cells"],
        "review_item": ["tea", lambda: item_of(attempt)],
        "claim_review": ["tea", lambda: item_of(attempt)],
        "decide": ["tea", attempt.round_id],
        "round": [attempt.round_id],
        "read_note": [lambda: note_to(cast.ann)],
        "invitation": ["no-such-token"],
        "sample": ["no-such-token"],
    }
    found = arguments.get(name, [attempt.round_id] if name in API else [])
    return reverse(name, args=[one() if callable(one) else one for one in found])


def make_rows(cast: Cast, attempt: Attempt) -> None:
    """Every row that some route is about."""
    for name in ALL:
        address(name, cast, attempt)


def item_of(attempt: Attempt) -> int:
    study = attempt.round.participation.study
    return ReviewItem.objects.get_or_create(round=attempt.round, defaults={"study": study})[0].pk


def captured_in(attempt: Attempt) -> tuple[int, int, int]:
    """The attempt with a capture: its id, the page's, the piece's number."""
    recording = attempt.recording
    assert recording is not None
    Recording.objects.filter(pk=recording.pk).update(capture=True)
    page, new = CapturedPage.objects.get_or_create(recording=recording, page="p", defaults={"time_origin": 1.0})
    if new:
        empty = gzip.compress(b"")
        CaptureChunk.objects.create(page=page, n=0, events=0, first=0, last=0, size=0, body=empty)
    return attempt.pk, page.pk, 0


def plan_in(study: Study) -> int:
    made = {"design": {}, "design_hash": "", "state": "done", "result": {"status": "infeasible", "conflicts": ["No."]}}
    return PlanDraft.objects.get_or_create(study=study, number=1, defaults=made)[0].number


def export_in(study: Study) -> int:
    return Export.objects.get_or_create(study=study, state="failed", defaults={"contents": Choice().document()})[0].pk


def run_in(study: Study) -> int:
    condition = study.task_conditions.order_by("pk").first()
    assert condition is not None
    made = RunImport.objects.get_or_create(study=study, format="table", name="runs.csv")[0]
    told = {"source": made, "score": 1.0, "passed": True, "verdict_source": "environment"}
    return Run.objects.get_or_create(study=study, task_condition=condition, model="m", defaults=told)[0].pk


def upload_in(study: Study) -> int:
    told = {"size": 1, "sent_at": study.created_at, "error": "No."}
    return Upload.objects.get_or_create(study=study, kind="runs", name="r.csv", state="failed", defaults=told)[0].pk


def note_to(who: Person) -> int:
    return Note.objects.get_or_create(participation=who.participations.get(), text="well done")[0].pk


def status(client: Client, name: str, url: str) -> int:
    posts = name in {"start", "sign_out", "read_note", "stay", "change_password", *LEAD_POSTS} or (
        name in API and name != "api_round"
    )
    reply = client.post(url, {}, content_type="application/json") if posts else client.get(url)
    if reply.status_code == 302 and reply.headers["Location"].startswith("/sign-in/?next="):
        return 401
    return reply.status_code


def client_of(who: Person | None) -> Client:
    client = Client()
    if who is not None:
        client.force_login(who)
    return client


def somebody(cast: Cast, who: str) -> Person | None:
    """A person of the cast, or somebody with that role in the study; None for nobody."""
    if who in ("second_lead", "viewer"):
        made = person(who)
        StudyRole.objects.create(study=cast.study, person=made, role=who.removeprefix("second_"))
        return made
    return None if who == "nobody" else getattr(cast, who)


WHO = ["nobody", "ann", "bob", "lead", "second_lead", "viewer", "other_lead", "stranger"]


@pytest.mark.parametrize("who", WHO)
def test_every_route_for_every_role(cast: Cast, who: str) -> None:
    attempt = complete(cast, cast.ann).attempts.get(kind="cold")
    make_rows(cast, attempt)
    client = client_of(somebody(cast, who))
    for name in ALL:
        if name in OPEN:
            continue
        seen = status(client, name, address(name, cast, attempt))
        if who == "nobody":
            assert seen in ((401,) if name not in API else (403,)), name
        elif name in EVERYBODY:
            assert seen in ((400,) if name == "change_password" else (200, 302)), name
        elif name in CREATOR:
            assert seen == (200 if who in ("lead", "second_lead", "other_lead") else 404), name
        elif name in TAKING_PART:
            assert seen == (200 if who in ("ann", "bob") else 404), name
        elif name in ANNOTATOR | API:
            mine = {"start": 409, "round": 200, "read_note": 302, "stay": 404, "api_round": 200}.get(
                name, 400 if name == "api_round_claim" else 409
            )
            assert seen == (mine if who == "ann" else 404), name
        else:
            mine = {**dict.fromkeys(EMPTY, 404), **LEAD_POSTS}.get(name, 200)
            assert seen == (mine if may(who, name) else 404), name


def may(who: str, name: str) -> bool:
    """Owners do everything on the lead's side, leads all but what shows who is behind a code; viewers read."""
    if who == "viewer" and name in CHANGER:
        return False
    if who == "viewer":
        return name not in LEAD_POSTS or name in VIEWERS_MAY
    return who == "lead" or (who == "second_lead" and name not in OWNERS_ONLY)


@pytest.mark.parametrize("state", ["draft", "running", "closed"])
def test_every_route_in_every_state(cast: Cast, state: str) -> None:
    """The lead's pages open and their forms answer in words; for others they are not there, whatever the state."""
    if state == "running":
        round_ = ready(cast, cast.ann)
        rounds.start_attempt(round_, cast.ann)
    else:
        round_ = complete(cast, cast.ann)
        Study.objects.filter(pk=cast.study.pk).update(state=state)
    attempt = round_.attempts.get(kind="cold")
    make_rows(cast, attempt)
    lead, ann, other = (client_of(who) for who in (cast.lead, cast.ann, cast.other_lead))
    for name in sorted(LEAD):
        url = address(name, cast, attempt)
        seen = status(lead, name, url)
        empty = name in EMPTY or (name in ("attempt_event", "review_item", "label") and state == "running")
        assert seen in ((302, 400, 409, 200) if name in LEAD_POSTS else (404,) if empty else (200,)), name
        assert status(ann, name, url) == 404, name
        assert status(other, name, url) == 404, name


def test_what_is_posted_cannot_be_got(cast: Cast) -> None:
    attempt = complete(cast, cast.ann).attempts.get(kind="cold")
    lead = client_of(cast.lead)
    for name in sorted(LEAD_POSTS):
        assert lead.get(address(name, cast, attempt)).status_code == 405, name


HIDDEN = ("decoy", "grounding", "expected", "the order exists", "one order", '"seed"')


def test_what_the_study_hides_is_nowhere_in_what_annotators_get(cast: Cast) -> None:
    round_ = ready(cast, cast.bob)  # under intervention
    do_attempt(cast, round_, "cold")
    seen = pages(cast.bob, round_)
    assert [word for word in (*HIDDEN, "intervention") if word in seen] == []
    rounds.abandon(cast.fresh(round_), cast.bob, "again")
    seen = pages(cast.bob, complete(cast, cast.bob))
    assert [word for word in HIDDEN if word in seen] == []


def pages(who: Person, round_: Round) -> str:
    """All that the annotator's browser gets about a round."""
    client = client_of(who)
    return "".join(
        client.get(url).content.decode()
        for url in ("/work/", f"/rounds/{round_.pk}/", f"/api/rounds/{round_.pk}/?tab=x")
    )


def test_a_get_never_changes_anything(cast: Cast) -> None:
    client = client_of(cast.ann)
    assert client.get(reverse("start", args=[cast.assignment(cast.ann).pk])).headers["Location"] == "/work/"
    assert not Round.objects.exists()
    assert client.get(reverse("sign_out")).status_code == 405


def test_an_invitation_sets_the_password_once(cast: Cast) -> None:
    guest = person("gus.guest")
    url = reverse("invitation", args=[invite(guest)])
    words = {"new_password1": "a long walk in the rain", "new_password2": "a long walk in the rain"}
    assert Client().post("/sign-in/", {"username": guest.email, "password": ""}).status_code == 200
    assert Client().get(url).status_code == 200
    assert Client().post(url, words).status_code == 302
    assert Client().get(url).status_code == 404
    assert Client().post(url, words).status_code == 404
    signed_in = Client().post("/sign-in/", {"username": guest.email.upper(), "password": words["new_password1"]})
    assert signed_in.status_code == 302


def test_sample_links_work_on_loopback_and_for_sample_people_only(cast: Cast) -> None:
    sample = Person.objects.create_person("sue@sample.invalid", "Sue", is_sample=True)
    url = reverse("sample", args=[sample_token(sample)])
    assert Client().get(url).status_code == 200
    assert Client().post(url).status_code == 302
    assert Client(REMOTE_ADDR="192.0.2.7").get(url).status_code == 404
    assert Client(HTTP_X_FORWARDED_FOR="192.0.2.7").get(url).status_code == 404
    assert Client().get(reverse("sample", args=[sample_token(cast.ann)])).status_code == 404
    assert Client().get(url[:-2] + "x/").status_code == 404


def test_a_deactivated_person_is_out_at_once(cast: Cast) -> None:
    client = client_of(cast.ann)
    assert client.get("/work/").status_code == 200
    Person.objects.filter(pk=cast.ann.pk).update(is_active=False)
    assert client.get("/work/").status_code == 302


def test_strange_hosts_are_refused(cast: Cast) -> None:
    assert Client(HTTP_HOST="evil.example").get("/sign-in/").status_code == 400
