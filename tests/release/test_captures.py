"""Captured pages leave the house by attempt, once a lead cleared them, masked, and a bundle proves that it has those and no others."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotate.models import Attempt, Person, Round, Study, StudyRole
from recorder.capture.ingest import LATE_S, ingest
from recorder.models import Recording
from tasks_admin.exports import captures
from tasks_admin.exports.bundle import export
from tasks_admin.exports.choice import Choice
from tasks_admin.exports.named import People
from tasks_admin.exports.privacy import Canary, Leak
from tasks_admin.exports.traces import Rules
from tasks_admin.exports.verify import verify
from tasks_admin.release import actions, captured, items
from tasks_admin.release.masks import Masks
from tests.annotate.test_rounds import complete
from tests.cast import Cast, person
from tests.recorder.capture.test_ingest import body, seen
from tests.tasks_admin.test_bundle import everything, reseal, rows

WITH = Choice(captures=True)
PAGE = "/studies/tea/release/captures/"
LONG_AGO = timedelta(seconds=LATE_S + 1)
SNAPSHOT = {
    "node": {
        "childNodes": [
            {"tagName": "style", "isStyle": True, "textContent": ".a { content: 'css@example.org' }"},
            {"tagName": "svg", "attributes": {"viewBox": "0 0 24 24 240"}},
            {
                "tagName": "p",
                "attributes": {"title": "For you"},
                "textContent": "Ship to jo@example.org, order 1234-5678",
            },
        ]
    }
}


@pytest.fixture
def caught(cast: Cast) -> Round:
    """Ann's complete round, of which the page of the cold attempt was captured in two pieces."""
    round_ = complete(cast, cast.ann)
    recording = round_.attempts.get(kind="cold").recording
    assert recording is not None
    Recording.objects.filter(pk=recording.pk).update(capture=True)
    ingest(recording.pk, body(0, seen(10.0, 4, href="/"), seen(11.0, 2, **SNAPSHOT)))
    ingest(recording.pk, body(1, seen(700.0, 3, source=5, text="green tea"), final=True))
    Recording.objects.filter(pk=recording.pk).update(closed_at=timezone.now() - LONG_AGO)
    return round_


def client(who: Person) -> Client:
    signed_in = Client()
    signed_in.force_login(who)
    return signed_in


def cold(round_: Round) -> Attempt:
    return round_.attempts.get(kind="cold")


def clear(cast: Cast, round_: Round, *, cleared: bool = True) -> None:
    actions.decide(cast.study, cast.lead, "capture", [cold(round_).pk], cleared=cleared)


def unpacked(bundle: Path, row: dict[str, Any]) -> str:
    return gzip.decompress((bundle / row["file"]).read_bytes()).decode()


def test_none_leaves_before_it_was_cleared_and_asked_for(caught: Round, cast: Cast, tmp_path: Path) -> None:
    assert export(cast.study, tmp_path / "a", choice=WITH).manifest["captures"] == {"written": 0, "withheld": 1}
    clear(cast, caught)
    without = export(cast.study, tmp_path / "a")
    assert without.manifest["captures"] == {"written": 0, "withheld": 1}
    assert not (without.folder / "captures").exists()
    written = export(cast.study, tmp_path / "b", choice=WITH)
    assert written.manifest["captures"] == {"written": 1, "withheld": 0}
    (row,) = rows(written.folder, "captures")
    assert (row["attempt_id"], row["page"], row["events"], row["missing"]) == (
        "P1-toyshop-buy-tea-clean-r1-cold",
        0,
        3,
        None,
    )
    events = [json.loads(line) for line in unpacked(written.folder, row).splitlines()]
    assert [event["type"] for event in events] == [4, 2, 3]
    assert (events[0]["timestamp"], events[2]["timestamp"]) == (row["first"], row["last"])
    assert verify(written.folder) == []
    assert everything(export(cast.study, tmp_path / "again", choice=WITH).folder) == everything(written.folder)


def test_masks_reach_into_it(caught: Round, cast: Cast, tmp_path: Path) -> None:
    clear(cast, caught)
    actions.set_masks(cast.study, cast.lead, [r"\d{4}-\d{4}", r"[\w.]+@example\.org"], [])
    folder = export(Study.objects.get(pk=cast.study.pk), tmp_path / "b", choice=WITH).folder
    (row,) = rows(folder, "captures")
    assert "Ship to •••, order •••" in unpacked(folder, row)
    assert verify(folder) == []


def test_the_canary_looks_into_it(caught: Round, cast: Cast, tmp_path: Path) -> None:
    clear(cast, caught)
    Person.objects.filter(pk=cast.bob.pk).update(email="jo@example.org")
    with pytest.raises(Leak, match="e-mail address"):
        export(cast.study, tmp_path / "b", choice=WITH)
    with pytest.raises(Leak, match="a capture that was not cleared"):
        captures.write(cast.study, tmp_path, WITH, Rules("human140", Masks(), Canary(People())))


def test_what_may_still_grow_cannot_be_cleared(caught: Round, cast: Cast) -> None:
    Recording.objects.filter(attempt=cold(caught)).update(closed_at=timezone.now())
    assert items.count(cast.study, "capture") == {"open": 0, "cleared": 0, "withheld": 0}


def unnamed(bundle: Path, row: dict[str, Any]) -> str:
    (bundle / "captures.jsonl").write_text("")
    reseal(bundle, "captures.jsonl")
    return "captures.jsonl does not name it"


def shortened(bundle: Path, row: dict[str, Any]) -> str:
    (bundle / row["file"]).write_bytes(gzip.compress(b'{"type": 4, "timestamp": 1}\n'))
    reseal(bundle, row["file"])
    return "it has 1 events, captures.jsonl says 3"


def broken(bundle: Path, row: dict[str, Any]) -> str:
    (bundle / row["file"]).write_bytes((bundle / row["file"]).read_bytes()[:-12])
    reseal(bundle, row["file"])
    return "it cannot be read"


@pytest.mark.parametrize("forge", [unnamed, shortened, broken])
def test_a_forged_capture_is_found(
    caught: Round, cast: Cast, tmp_path: Path, forge: Callable[[Path, dict[str, Any]], str]
) -> None:
    clear(cast, caught)
    bundle = export(cast.study, tmp_path / "b", choice=WITH).folder
    told = forge(bundle, rows(bundle, "captures")[0])
    assert any(told in problem for problem in verify(bundle)), verify(bundle)


def test_the_page(caught: Round, cast: Cast) -> None:
    lead = client(cast.lead)
    page = lead.get(PAGE).content.decode()
    assert "1 page, 3 events" in page
    assert "jo@example.org" in page
    assert "css@example.org" not in page
    form = {"kind": "capture", "chosen": [cold(caught).pk], "act": "clear", "as_of": timezone.now().isoformat()}
    posted = lead.post("/studies/tea/release/decide/", form, follow=True).content.decode()
    assert "1 capture may leave the house now." in posted
    assert "none waits for a decision" in posted
    assert "jo@example.org" in lead.get(f"{PAGE}?state=cleared").content.decode()
    assert lead.get(f"{PAGE}?state=odd").status_code == 400
    assert "cleared of 1 attempt, those of 0 stay out" in lead.get("/studies/tea/export/").content.decode()
    viewer = person("vera")
    StudyRole.objects.create(study=cast.study, person=viewer, role="viewer")
    assert 'name="act"' not in client(viewer).get(f"{PAGE}?state=all").content.decode()
    assert client(viewer).post("/studies/tea/release/decide/", form).status_code == 404


def test_of_a_large_one_the_beginning_is_looked_through(
    caught: Round, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    (attempt,) = items.rows(cast.study, "capture")
    assert not captured.item_of(attempt, []).in_part
    monkeypatch.setattr(captured, "LOOKED_THROUGH", 5)
    assert captured.item_of(attempt, []).in_part


def test_the_commands(caught: Round, cast: Cast, tmp_path: Path) -> None:
    clear(cast, caught)
    out = StringIO()
    call_command("export_study", "tea", str(tmp_path / "b"), "--captures", "--json", stdout=out)
    assert json.loads(out.getvalue())["captures"] == 1
    out = StringIO()
    call_command("audit_privacy", "tea", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert told["tables"]["captures"] == 1
    assert any("capture" in where for where, _ in told["places"]["an e-mail address"])
