"""Texts leave the house once a lead cleared them, masks keep the rest from being told, and the audit lists what would go."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotate.actions import amendments, reviews, rounds
from annotate.errors import BadInput
from annotate.models import Attempt, AuditEntry, Rating, Reference, Replay, Review, Round, Study
from tasks_admin.exports.bundle import export
from tasks_admin.exports.privacy import Leak
from tasks_admin.exports.verify import verify
from tasks_admin.models import Clearance
from tasks_admin.release import actions
from tasks_admin.release import masks as masking
from tasks_admin.release.detector import suspicions
from tasks_admin.release.masks import MASK, EndlessMask, parsed
from tests.annotate.test_rounds import attempt_of, complete, ready, record
from tests.cast import Cast

WORDS = "the second button was odd, I think"
EXCLUDED = "The site was down for a minute."


@pytest.fixture
def said(cast: Cast) -> Round:
    """Bob's comment, Ann's reason for abandoning, and the lead's reason for excluding Bob's round."""
    round_ = complete(cast, cast.bob)
    rounds.rate(round_, {"clarity": 5}, WORDS)
    abandoned = ready(cast, cast.ann)
    rounds.start_attempt(abandoned, cast.ann)
    recording = attempt_of(abandoned, "cold").recording
    assert recording is not None
    record(recording, "click")
    rounds.abandon(cast.fresh(abandoned), cast.ann, "call me at +44 20 7946 0958 please")
    cast.work.run()
    reviews.decide(round_, cast.lead, "exclude", EXCLUDED)
    return round_


def lines(folder: Path, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{table}.jsonl").read_text().splitlines()]


def client(cast: Cast) -> Client:
    signed_in = Client()
    signed_in.force_login(cast.lead)
    return signed_in


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("write to ann.b+x@mail.example.org", "an e-mail address"),
        ("call +44 20 7946 0958", "a telephone number"),
        ("call me at 555-1234.", "a telephone number"),
        ("from 192.168.7.11 it works", "an internet address"),
        ("4111 1111 1111 1111", "a card or account number"),
        ("DE44 5001 0517 5407 3249 31", "a card or account number"),
        ("ask @jo_miller", "a handle"),
        ("/pay?token=abcdef123456", "a secret in an address"),
        ("Bob said so", "a name of somebody in the study"),
        ("kebobs, says bob_m", "a name of somebody in the study"),
    ],
)
def test_what_looks_private_is_pointed_out(text: str, words: str) -> None:
    assert words in suspicions(text, ["Bob"])


@pytest.mark.parametrize(
    "text",
    [
        "the second button was odd",
        "ordered 12 for 3.50 in 2024",
        "127.0.0.1",
        "Chrome/156.0.0.0 Safari",
        "1920x1080",
        "part 555-1234-A of 555-1234.5",
        "a@b",
        "skebobby",
    ],
)
def test_what_does_not_is_left_alone(text: str) -> None:
    assert suspicions(text, ["Bobby"]) == []


def test_masks_replace_what_matches_and_keep_names_of_fields() -> None:
    masks = parsed([r"\d{4}-\d{4}"], ["session"])
    event = {
        "type": "input",
        "value": "no 1234-5678",
        "css": "[aria-label='no 1234-5678']",
        "xpath": "/p[1234-5678]",
        "url": "/a?session=abc&x=1",
        "path": [[1, "1234-5678"]],
    }
    assert masks.event(event) == {
        "type": "input", "value": f"no {MASK}", "css": f"[aria-label='no {MASK}']",
        "xpath": "/p[1234-5678]", "url": f"/a?session={MASK}&x=1", "path": [[1, MASK]],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(", r"cannot be read: missing \) at position 1"),
        ("ab[c", "at position 4"),
        ("(a)", "has a group"),
        ("x*", "matches nothing"),
        ("a" * 201, "at most 200"),
    ],
)
def test_a_pattern_that_is_none_is_refused(pattern: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        parsed([pattern], [])


def test_a_mask_without_an_end_stops_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masking, "ENOUGH_S", 0.2)
    with pytest.raises(EndlessMask, match=r"The mask \(\?:a\|aa\)\+\$ did not come to an end .* text of 61 characters"):
        parsed(["(?:a|aa)+$"], []).text("a" * 60 + "b")


def test_nothing_leaves_before_it_was_cleared_and_then_only_that(said: Round, cast: Cast, tmp_path: Path) -> None:
    before = export(cast.study, tmp_path / "before").folder
    assert lines(before, "comments") == []
    assert {row["reason"] for row in lines(before, "reviews")} == {None}
    rating, review = Rating.objects.get(), Review.objects.get()
    actions.decide(cast.study, cast.lead, "comment", [rating.pk], cleared=True)
    actions.decide(cast.study, cast.lead, "review", [review.pk], cleared=True)
    actions.decide(cast.study, cast.lead, "reason", [Round.objects.get(state="abandoned").pk], cleared=False)
    after = export(cast.study, tmp_path / "after").folder
    assert [(row["annotator"], row["kind"], row["text"]) for row in lines(after, "comments")] == [
        ("P2", "comment", WORDS)
    ]
    assert {row["reason"] for row in lines(after, "reviews")} == {EXCLUDED}
    assert verify(after) == []
    assert [entry.action for entry in AuditEntry.objects.filter(subject__contains="×")] == [
        "withhold from release", "clear for release", "clear for release",
    ]  # fmt: skip
    actions.decide(cast.study, cast.lead, "comment", [rating.pk], cleared=False)
    assert lines(export(cast.study, tmp_path / "again").folder, "comments") == []


def test_a_withheld_text_in_another_place_still_stops_the_export(said: Round, cast: Cast, tmp_path: Path) -> None:
    attempt = Attempt.objects.get(round=said, kind="warm")
    assert attempt.verdict is not None
    attempt.verdict["checks"][0]["detail"] = f"they wrote: {WORDS}"
    Attempt.objects.filter(pk=attempt.pk).update(verdict=attempt.verdict)
    with pytest.raises(Leak, match="comment that was not cleared"):
        export(cast.study, tmp_path / "bundle")
    Study.objects.filter(pk=cast.study.pk).update(
        options=cast.study.options | {"masks": {"texts": ["they wrote: .*"], "parameters": []}}
    )
    folder = export(Study.objects.get(pk=cast.study.pk), tmp_path / "bundle").folder
    assert MASK in {row["detail"] for row in lines(folder, "verdict_checks")}
    assert verify(folder) == []


def test_masked_events_still_prove_themselves(said: Round, cast: Cast, tmp_path: Path) -> None:
    actions.set_masks(cast.study, cast.lead, [r"[A-Za-z]+ing\b", "Toy"], ["session"])
    folder = export(Study.objects.get(pk=cast.study.pk), tmp_path / "bundle").folder
    assert verify(folder) == []
    assert json.loads((folder / "manifest.json").read_text())["masks"] == 3


def test_what_is_not_the_studys_cannot_be_cleared(said: Round, cast: Cast) -> None:
    other = Study.objects.get(slug="coffee")
    for kind, chosen in (("comment", [Rating.objects.get().pk]), ("comment", []), ("password", [1])):
        with pytest.raises(BadInput):
            actions.decide(other, cast.other_lead, kind, chosen, cleared=True)
    assert Clearance.objects.count() == 0


def test_the_page(said: Round, cast: Cast) -> None:
    page = client(cast)
    reasons = page.get("/studies/tea/release/?kind=reason").content.decode()
    assert "looks like a telephone number" in reasons
    rating = Rating.objects.get()
    form = {"kind": "comment", "chosen": [rating.pk], "act": "clear", "as_of": timezone.now().isoformat()}
    posted = page.post("/studies/tea/release/decide/", form, follow=True)
    assert "1 text may leave the house now." in posted.content.decode()
    assert WORDS in page.get("/studies/tea/release/?kind=comment&state=cleared").content.decode()
    for name in form:
        rest = {key: value for key, value in form.items() if key != name}
        assert page.post("/studies/tea/release/decide/", rest).status_code == 400
    assert page.post("/studies/tea/release/masks/", {"texts": "(", "parameters": ""}).status_code == 400
    page.post("/studies/tea/release/masks/", {"texts": "a+b\n", "parameters": "session\n"})
    assert Study.objects.get(slug="tea").options["masks"] == {"texts": ["a+b"], "parameters": ["session"]}
    assert page.get("/studies/tea/release/?kind=odd").status_code == 400


def test_a_page_from_before_clears_nothing_that_was_withheld_since(said: Round, cast: Cast) -> None:
    page, rating = client(cast), Rating.objects.get()
    shown = page.get("/studies/tea/release/?kind=comment").context["as_of"]
    form = {"kind": "comment", "chosen": [rating.pk], "as_of": shown.isoformat()}
    actions.decide(cast.study, cast.lead, "comment", [rating.pk], cleared=False)
    assert page.post("/studies/tea/release/decide/", form | {"act": "clear"}).status_code == 409
    assert not Clearance.objects.get().cleared
    assert page.post("/studies/tea/release/decide/", form | {"act": "withhold"}).status_code == 302
    form["as_of"] = timezone.now().isoformat()
    assert page.post("/studies/tea/release/decide/", form | {"act": "clear"}).status_code == 302
    assert Clearance.objects.get().cleared


def test_the_audit_lists_what_would_go(said: Round, cast: Cast, tmp_path: Path) -> None:
    attempt = Attempt.objects.get(round=said, kind="cold")
    assert attempt.verdict is not None
    attempt.verdict["checks"][0]["detail"] = "ships to jo@example.org"
    Attempt.objects.filter(pk=attempt.pk).update(verdict=attempt.verdict)
    out = StringIO()
    call_command("audit_privacy", "tea", json=True, stdout=out)
    told = json.loads(out.getvalue())
    manifest = export(cast.study, tmp_path / "bundle").manifest
    assert told["tables"] == manifest["counts"]
    assert told["free_text"]["verdict_checks"] == ["name", "detail"]
    assert told["suspicions"]["an e-mail address"] == 1
    assert told["places"]["an e-mail address"] == [
        ["P2-toyshop-buy-tea-intervention-r1-cold, check 0", "jo@example.org"]
    ]
    assert [one["open"] for one in told["texts"]] == [1, 1, 1, 0, 0, 0, 0]
    out = StringIO()
    call_command("audit_privacy", "tea", stdout=out)
    assert "looks like an e-mail address: 1 ×" in out.getvalue()
    assert "     3 attempts\n" in out.getvalue()
    assert "comments (free text: text)" in out.getvalue()


def audited() -> str:
    out = StringIO()
    call_command("audit_privacy", "tea", stdout=out)
    return out.getvalue()


def test_the_audit_looks_at_amendments_too(said: Round, cast: Cast) -> None:
    phone = "call me at +44 20 7946 0958"
    changed = amendments.record(cast.study, cast.lead, "option", "time limit", phone, before=1, after=2)
    assert "amendments, 1" not in audited()  # why is withheld
    actions.decide(cast.study, cast.lead, "amendment", [changed.pk], cleared=True)
    assert "amendments, 1" in audited()
    amendments.record(cast.study, cast.lead, "text", "guidelines", "clearer", before="x", after=phone)
    assert "amendments, 2" in audited()


def test_why_a_lead_changed_or_overruled_something_leaves_once_cleared(said: Round, cast: Cast, tmp_path: Path) -> None:
    reviews.decide(said, cast.lead, "accept", EXCLUDED)
    changed = amendments.record(
        cast.study, cast.lead, "option", "time limit", "Ann was ill for long.", before=1, after=2
    )
    warm = attempt_of(said, "warm")
    fields = {"counts": {"done": 2}, "verdict": {"score": 1.0, "passed": True}, "pace": "fast"}
    Replay.objects.filter(attempt__round=said).update(state="done", outcome="verified", **fields)
    said.flags.all().delete()
    condition = said.assignment.task_condition
    Reference.objects.filter(task_condition=condition).update(is_current=False)
    chosen = Reference.objects.create(
        task_condition=condition, attempt=warm, policy="best", reason="Bob did it neatly.", overruled=True
    )
    before = export(cast.study, tmp_path / "before").folder
    assert [row["reason"] for row in lines(before, "amendments")] == [None]
    assert [row["reason"] for row in lines(before, "references")] == [None]
    assert verify(before) == []
    actions.decide(cast.study, cast.lead, "amendment", [changed.pk], cleared=True)
    actions.decide(cast.study, cast.lead, "overruled", [chosen.pk], cleared=True)
    after = export(cast.study, tmp_path / "after").folder
    assert [row["reason"] for row in lines(after, "amendments")] == ["Ann was ill for long."]
    assert [row["reason"] for row in lines(after, "references")] == ["Bob did it neatly."]
    assert verify(after) == []
    page = client(cast)
    for kind, words in (("amendment", "amendment 1: Option time limit"), ("overruled", "toyshop / buy-tea")):
        assert words in page.get(f"/studies/tea/release/?kind={kind}&state=cleared").content.decode()


def test_masks_reach_what_a_replay_says_and_leave_the_names_of_checks(said: Round, cast: Cast, tmp_path: Path) -> None:
    actions.set_masks(cast.study, cast.lead, ["Schmidt"], [])
    attempt = attempt_of(said, "warm")
    attempt.verdict["checks"][0] |= {"name": "the order of Schmidt exists", "detail": "to Schmidt"}
    Attempt.objects.filter(pk=attempt.pk).update(verdict=attempt.verdict)
    why = "The step was done on /orders/Schmidt, the replay stands on /orders."
    Replay.objects.create(
        attempt=attempt, number=7, state="done", outcome="breaks", broke_at=1, why=why, counts={"done": 1}
    )
    folder = export(Study.objects.get(pk=cast.study.pk), tmp_path / "b").folder
    assert [row["why"] for row in lines(folder, "replays") if row["replay"] == 7] == [why.replace("Schmidt", MASK)]
    (check,) = [row for row in lines(folder, "verdict_checks") if row["name"] == "the order of Schmidt exists"]
    assert check["detail"] == f"to {MASK}"
    assert verify(folder) == []
