"""Choosing what goes into a bundle: every table keeps to it, and the bundle still proves itself."""

from __future__ import annotations

import hashlib
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotate.actions import rounds
from annotate.errors import BadInput
from annotate.models import AuditEntry
from tasks_admin.exports.bundle import export
from tasks_admin.exports.choice import ALL, Choice, chosen, codes_of
from tasks_admin.exports.contents import contents_of
from tasks_admin.exports.verify import verify
from tests.annotate.test_rounds import complete, ready
from tests.cast import Cast
from tests.tasks_admin.test_bundle import rows


@pytest.fixture
def told(cast: Cast) -> Cast:
    """Ann did her task clean, Bob his under intervention after a round that he abandoned."""
    rounds.rate(complete(cast, cast.ann), {"clarity": 3}, "")
    left = ready(cast, cast.bob)
    rounds.start_attempt(left, cast.bob)
    rounds.abandon(cast.fresh(left), cast.bob, "my telephone rang all the time")
    rounds.rate(complete(cast, cast.bob), {"clarity": 5}, "")
    cast.work.run()
    return cast


def people_in(folder: Path) -> dict[str, set[Any]]:
    tables = ("attempts", "participations", "ratings", "verdict_checks", "task_conditions")
    found = {table: rows(folder, table) for table in tables}
    return {
        "attempts": {row["annotator"] for row in found["attempts"]},
        "participations": {row["code"] for row in found["participations"]},
        "ratings": {row["annotator"] for row in found["ratings"]},
        "checks": {row["attempt_id"][:2] for row in found["verdict_checks"]},
        "traces": {path.name[:2] for path in (folder / "traces").iterdir()},
        "conditions": {row["condition"] for row in found["task_conditions"]},
    }


def test_one_person(told: Cast, tmp_path: Path) -> None:
    written = export(told.study, tmp_path / "b", choice=Choice(people=("P1",)))
    seen = people_in(written.folder)
    assert seen.pop("conditions") == {"clean", "intervention"}
    assert set(map(frozenset, seen.values())) == {frozenset({"P1"})}
    assert written.manifest["choice"] == {
        "conditions": [],
        "people": ["P1"],
        "only_complete": False,
        "screenshots": False,
        "captures": False,
    }
    assert written.manifest["attempts_by_status"]["complete"] == written.manifest["counted_attempts"] == 2
    assert "only P1" in (written.folder / "README.md").read_text()
    assert verify(written.folder) == []


def test_one_condition(told: Cast, tmp_path: Path) -> None:
    written = export(told.study, tmp_path / "b", choice=Choice(conditions=("intervention",)))
    seen = people_in(written.folder)
    assert (seen["attempts"], seen["ratings"], seen["conditions"]) == ({"P2"}, {"P2"}, {"intervention"})
    assert written.manifest["figures"]["human_panel"].keys() >= {"intervention"}
    assert verify(written.folder) == []


def test_only_what_counts(told: Cast, tmp_path: Path) -> None:
    whole = export(told.study, tmp_path / "whole")
    written = export(told.study, tmp_path / "b", choice=Choice(only_complete=True))
    assert {row["status"] for row in rows(written.folder, "attempts")} == {"complete"}
    assert len(rows(written.folder, "attempts")) == len(rows(whole.folder, "attempts")) - 1 == 4
    assert written.manifest["figures"] == whole.manifest["figures"]
    assert verify(written.folder) == []


def test_all_by_name_is_all(told: Cast) -> None:
    everything = chosen(told.study, ["clean", "intervention"], ["P1", "P2"], only_complete=False)
    assert everything == ALL == Choice.of(json.loads(json.dumps(ALL.document())))
    with pytest.raises(BadInput, match=r"no person 'P9'; it has: P1, P2"):
        chosen(told.study, [], ["P9"], only_complete=False)


def test_codes_stand_in_the_order_of_their_numbers(told: Cast) -> None:
    told.study.participations.update_or_create(code="P10")
    assert codes_of(told.study) == ["P1", "P2", "P10"]


def test_what_is_in_and_what_stays_out(told: Cast) -> None:
    assert contents_of(told.study, ALL).inside == {"complete": 4, "abandoned": 1}
    assert contents_of(told.study, ALL).outside == {}
    assert contents_of(told.study, Choice(only_complete=True)).outside == {"abandoned": 1}
    assert contents_of(told.study, Choice(people=("P1",))).outside == {"of a person who was not chosen": 3}
    assert contents_of(told.study, Choice(conditions=("clean",))).outside == {
        "under a condition that was not chosen": 3
    }


def test_a_form_that_chooses_nothing_says_so_and_keeps_what_it_chose(told: Cast, client: Client) -> None:
    client.force_login(told.lead)
    form = {"person": ["P1"], "only": "complete", "captures": "yes"}
    counted = client.post("/studies/tea/export/start/", form | {"act": "count"}, follow=True)
    asked = client.post("/studies/tea/export/start/", form | {"act": "export"})
    linked = client.get("/studies/tea/export/", form | {"chosen": 1})
    nobody = client.post("/studies/tea/export/start/", {"condition": ["clean"], "person": ["P3"]})
    both = {"condition": ["clean"], "person": ["P1"]}
    odd = client.post("/studies/tea/export/start/", both | {"only": "bogus"})
    for page, said in (
        (odd, "Choose whether only what figures count goes in."),
        *((page, "Choose at least one condition.") for page in (counted, asked, linked)),
        (nobody, "The study has no person &#x27;P3&#x27;"),
    ):
        assert page.status_code == 400
        text = page.content.decode()
        assert f'role="alert" id="contents">{said}' in text
    for page in (counted, asked, linked):
        text = page.content.decode()
        ticked = {
            name for name in ("clean", "intervention", "P1", "P2", "complete") if f'value="{name}" checked' in text
        }
        assert ticked == {"P1", "complete"}
        assert 'name="captures" value="yes" checked' in text
    assert not told.study.exports.exists()


def test_the_command_takes_the_same_choices(told: Cast, tmp_path: Path) -> None:
    out = StringIO()
    choices = ["--condition", "intervention", "--person", "P2", "--only-complete"]
    call_command("export_study", "tea", str(tmp_path / "b"), *choices, "--json", stdout=out)
    assert json.loads(out.getvalue())["attempts"] == 2
    with pytest.raises(CommandError, match="no condition 'cold'"):
        call_command("export_study", "tea", str(tmp_path / "b"), "--condition", "cold")


def test_the_command_is_noted_with_what_it_wrote(told: Cast, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError):
        call_command("export_study", "tea", str(tmp_path / "file"))
    assert not AuditEntry.objects.filter(study=told.study, action="export").exists()
    call_command("export_study", "tea", str(tmp_path / "b"), "--person", "P2", stdout=StringIO())
    entry = AuditEntry.objects.get(study=told.study, action="export")
    manifest = hashlib.sha256((tmp_path / "b" / "manifest.json").read_bytes()).hexdigest()
    assert (entry.actor, entry.subject) == (None, "folder b")
    assert entry.after == Choice(people=("P2",)).document() | {"manifest_sha256": manifest}
