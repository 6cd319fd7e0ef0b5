"""Cleaning a study again: results are added, the old ones stay, and the figures change only when a lead says so."""

from __future__ import annotations

import gzip
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotate.actions import cleanings
from annotate.errors import BadInput
from annotate.models import Attempt, Cleaning, StudyRole
from tasks_admin.exports.bundle import export
from tasks_admin.exports.verify import verify
from tests.annotate.test_rounds import complete
from tests.cast import Cast


def stored() -> list[tuple[str, int]]:
    return sorted(Cleaning.objects.values_list("cleaner", "steps"))


def test_an_attempt_keeps_what_its_cleaner_made_when_it_ended(cast: Cast) -> None:
    complete(cast, cast.ann)
    assert stored() == [("human140/1", 2), ("human140/1", 2)]
    body = cleanings.unpacked(Cleaning.objects.all()[0])
    assert [step["type"] for step in body["steps"]] == ["click", "click"]
    assert len(body["cleaned"]) == 2


def test_cleaning_again_adds_and_can_be_repeated(cast: Cast) -> None:
    complete(cast, cast.ann)
    before = list(Cleaning.objects.values())
    assert cleanings.clean_study(cast.study, "componentbench") == 2
    assert cleanings.clean_study(cast.study, "componentbench") == 0
    assert list(Cleaning.objects.filter(cleaner="human140/1").values()) == before
    assert set(Attempt.objects.values_list("cleaner", flat=True)) == {"human140/1"}


def test_the_figures_change_with_adoption_only(cast: Cast) -> None:
    complete(cast, cast.ann)
    with pytest.raises(BadInput, match="2 attempts have no result of componentbench/1 yet"):
        cleanings.adopt(cast.study, "componentbench")
    cleanings.clean_study(cast.study, "componentbench")
    assert cleanings.adopt(cast.study, "componentbench") == 2
    assert set(Attempt.objects.values_list("cleaner", flat=True)) == {"componentbench/1"}
    assert cleanings.cleaner_of(cast.study) == "componentbench"
    complete(cast, cast.bob)
    assert Cleaning.objects.filter(cleaner="componentbench/1").count() == 4
    used = {row["cleaner"]: (row["attempts"], row["waiting"], row["is_used"]) for row in cleanings.results(cast.study)}
    assert used == {"componentbench/1": (4, 0, True), "human140/1": (2, 2, False)}


def test_the_bundle_is_cleaned_by_the_studys_cleaner_and_proves_it(cast: Cast, tmp_path: Path) -> None:
    complete(cast, cast.ann)
    cleanings.clean_study(cast.study, "componentbench")
    cleanings.adopt(cast.study, "componentbench")
    folder = export(cast.study, tmp_path / "bundle").folder
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["cleaner"] == {"name": "componentbench", "version": 1}
    trace = json.loads(next((folder / "traces").iterdir()).read_text())
    assert trace["cleaner"]["name"] == "componentbench"
    assert verify(folder) == []


def test_the_page_starts_the_job_and_adopts(cast: Cast) -> None:
    complete(cast, cast.ann)
    client = Client()
    client.force_login(cast.lead)
    assert b"Clean 2 attempts" in client.get("/studies/tea/cleaning/").content
    assert client.post("/studies/tea/cleaning/", {"clean": "componentbench"}).status_code == 302
    assert Cleaning.objects.filter(cleaner="componentbench/1").count() == 0
    cast.work.run()
    assert Cleaning.objects.filter(cleaner="componentbench/1").count() == 2
    assert b"Use for the figures" in client.get("/studies/tea/cleaning/").content
    client.post("/studies/tea/cleaning/", {"use": "componentbench"})
    assert set(Attempt.objects.values_list("cleaner", flat=True)) == {"componentbench/1"}
    assert (
        b"human140/1: 2 cleaned, 2 steps" in client.get(f"/studies/tea/attempts/{Attempt.objects.all()[0].pk}/").content
    )


@pytest.mark.parametrize(("form", "status"), [({}, 400), ({"clean": "none"}, 400), ({"use": "none"}, 400)])
def test_bad_forms_change_nothing(cast: Cast, form: dict[str, str], status: int) -> None:
    client = Client()
    client.force_login(cast.lead)
    assert client.post("/studies/tea/cleaning/", form).status_code == status


def test_a_viewer_looks_and_changes_nothing(cast: Cast) -> None:
    complete(cast, cast.ann)
    StudyRole.objects.filter(study=cast.study, person=cast.lead).update(role="viewer")
    client = Client()
    client.force_login(cast.lead)
    page = client.get("/studies/tea/cleaning/")
    assert page.status_code == 200
    assert b"componentbench/1" in page.content
    assert b'name="clean"' not in page.content
    assert client.post("/studies/tea/cleaning/", {"clean": "componentbench"}).status_code == 404


def test_the_command(cast: Cast) -> None:
    complete(cast, cast.ann)
    out = StringIO()
    call_command("reclean_study", "tea", cleaner="componentbench", use=True, json=True, stdout=out)
    told = json.loads(out.getvalue())
    assert (told["cleaned"], told["used_for"]) == (2, 2)
    with pytest.raises(CommandError, match="there are: "):
        call_command("reclean_study", "none", cleaner="componentbench")


def test_a_stored_result_is_told_as_texts_however_it_was_stored(cast: Cast) -> None:
    complete(cast, cast.ann)
    new = Cleaning.objects.all()[0]
    told = cleanings.unpacked(new)
    old = Cleaning(result=gzip.compress(json.dumps(told).encode()))
    nothing = Cleaning(result=cleanings.packed([], []))
    assert cleanings.texts_of(new) == cleanings.texts_of(old)
    texts = [text.split(cleanings.BETWEEN) for text in cleanings.texts_of(new)]
    assert [[json.loads(line) for line in lines] for lines in texts] == [told["cleaned"], told["steps"]]
    assert (cleanings.texts_of(nothing), cleanings.unpacked(nothing)) == (("", ""), {"cleaned": [], "steps": []})
