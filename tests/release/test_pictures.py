"""Screenshots leave the house once a lead cleared them, each by its pixels, and a bundle proves that it has those and no others."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from PIL import Image

from annotate.actions import replays
from annotate.errors import BadInput
from annotate.models import AuditEntry, Person, Picture, Replay, Round, Study, StudyRole
from recorder.models import Document
from recorder.replay import pictures
from tasks_admin.exports import screenshots
from tasks_admin.exports.bundle import export
from tasks_admin.exports.choice import Choice
from tasks_admin.exports.files import pretty, sealed
from tasks_admin.exports.named import People
from tasks_admin.exports.place import CannotExport
from tasks_admin.exports.privacy import Canary, Leak
from tasks_admin.exports.verify import verify
from tasks_admin.release import actions, items
from tests.annotate.test_rounds import complete
from tests.cast import Cast, person
from tests.tasks_admin.test_bundle import everything, reseal, rows
from tests.tasks_admin.test_replay_pages import played

WITH = Choice(screenshots=True)
PAGE = "/studies/tea/release/pictures/"


@pytest.fixture
def filmed(cast: Cast, settings: LazySettings, tmp_path: Path) -> Round:
    """Ann's complete round, whose cold attempt was replayed: two pictures before its two steps, one of them after the first, too."""
    storage = {"default": {**settings.STORAGES["default"], "OPTIONS": {"location": tmp_path / "files"}}}
    settings.STORAGES = settings.STORAGES | storage
    round_ = complete(cast, cast.ann)
    replays.conclude(Replay.objects.get(attempt__round=round_, attempt__kind="cold"), played())
    return round_


def client(who: Person) -> Client:
    signed_in = Client()
    signed_in.force_login(who)
    return signed_in


def shots(study: Study) -> list[Picture]:
    return list(items.pictures(study))


def clear(cast: Cast, *chosen: Picture, cleared: bool = True) -> None:
    actions.decide(cast.study, cast.lead, "picture", [one.pk for one in chosen], cleared=cleared)


def test_none_leaves_before_it_was_cleared_and_then_only_that(filmed: Round, cast: Cast, tmp_path: Path) -> None:
    teal, _ = shots(cast.study)
    assert export(cast.study, tmp_path / "none", choice=WITH).manifest["screenshots"] == {"written": 0, "withheld": 2}
    clear(cast, teal)
    written = export(cast.study, tmp_path / "one", choice=WITH)
    assert written.manifest["screenshots"] == {"written": 1, "withheld": 1}
    (row,) = rows(written.folder, "screenshots")
    file = written.folder / row["file"]
    assert row["attempt_id"] == "P1-toyshop-buy-tea-clean-r1-cold"
    assert (row["replay"], row["step"], row["moment"], row["width"], row["height"]) == (1, 0, "before", 640, 400)
    assert pictures.hash_of(Image.open(file)) == file.stem == teal.content_hash
    assert verify(written.folder) == []
    assert everything(export(cast.study, tmp_path / "again", choice=WITH).folder) == everything(written.folder)


def test_without_being_asked_for_none_leaves(filmed: Round, cast: Cast, tmp_path: Path) -> None:
    clear(cast, *shots(cast.study))
    written = export(cast.study, tmp_path / "b")
    assert written.manifest["screenshots"] == {"written": 0, "withheld": 2}
    assert not (written.folder / "screenshots").exists()
    assert verify(written.folder) == []


def test_a_later_word_counts_and_each_is_noted(filmed: Round, cast: Cast, tmp_path: Path) -> None:
    teal, _ = shots(cast.study)
    clear(cast, teal)
    clear(cast, teal, cleared=False)
    assert export(cast.study, tmp_path / "b", choice=WITH).manifest["screenshots"]["written"] == 0
    acts = AuditEntry.objects.filter(subject="1 × picture").order_by("pk").values_list("action", flat=True)
    assert list(acts) == ["clear for release", "withhold from release"]


def test_a_new_replay_with_other_pixels_needs_a_new_look(filmed: Round, cast: Cast) -> None:
    clear(cast, *shots(cast.study))
    again = Replay.objects.create(attempt=filmed.attempts.get(kind="cold"), number=2)
    new = played()
    new.film.taken["a"] = pictures.encode(Image.new("RGB", (640, 400), "gold")).data
    replays.conclude(again, new)
    assert items.count(cast.study, "picture") == {"open": 1, "cleared": 1, "withheld": 0}


def test_the_canary_refuses_a_picture_that_was_not_cleared(filmed: Round, cast: Cast, tmp_path: Path) -> None:
    clear(cast, *shots(cast.study))
    with pytest.raises(Leak, match="a picture that was not cleared"):
        screenshots.write(cast.study, tmp_path, WITH, Canary(People()))


def test_a_picture_whose_file_is_gone_is_named(filmed: Round, cast: Cast, tmp_path: Path) -> None:
    teal, _ = shots(cast.study)
    clear(cast, teal)
    teal.file.storage.delete(teal.file.name)
    with pytest.raises(CannotExport, match="not in the file storage"):
        export(cast.study, tmp_path / "b", choice=WITH)


def test_each_study_decides_for_itself(filmed: Round, cast: Cast) -> None:
    other = Study.objects.get(slug="coffee")
    with pytest.raises(BadInput, match="no picture"):
        actions.decide(other, cast.other_lead, "picture", [shots(cast.study)[0].pk], cleared=True)


def recoloured(bundle: Path, row: dict[str, Any]) -> str:
    Image.new("RGB", (640, 400), "red").save(bundle / row["file"], "PNG")
    reseal(bundle, row["file"])
    return "its pixels are not those"


def unnamed(bundle: Path, row: dict[str, Any]) -> str:
    (bundle / "screenshots.jsonl").write_text("")
    reseal(bundle, "screenshots.jsonl")
    return "screenshots.jsonl does not name it"


def unchosen(bundle: Path, row: dict[str, Any]) -> str:
    manifest = json.loads((bundle / "manifest.json").read_text())
    manifest["choice"]["screenshots"] = False
    (bundle / "manifest.json").write_text(pretty(sealed(manifest)))
    return "the manifest's choice is without"


@pytest.mark.parametrize("forge", [recoloured, unnamed, unchosen])
def test_a_forged_screenshot_is_found(
    filmed: Round, cast: Cast, tmp_path: Path, forge: Callable[[Path, dict[str, Any]], str]
) -> None:
    clear(cast, *shots(cast.study))
    bundle = export(cast.study, tmp_path / "b", choice=WITH).folder
    told = forge(bundle, rows(bundle, "screenshots")[0])
    assert any(told in problem for problem in verify(bundle)), verify(bundle)


def test_the_page_points_out_what_may_be_seen(filmed: Round, cast: Cast) -> None:
    private = {"url": "http://shop.test/?to=jo@example.org", "title": "Shop"}
    Document.objects.filter(recording__attempt__round=filmed).update(meta=private)
    lead = client(cast.lead)
    page = lead.get(PAGE).content.decode()
    assert page.count('loading="lazy"') == 2
    assert "before step 1" in page
    assert "may show an e-mail address" in page
    both = ",".join(str(one.pk) for one in shots(cast.study))
    form = {"kind": "picture", "chosen": [both], "act": "clear", "as_of": timezone.now().isoformat()}
    posted = lead.post("/studies/tea/release/decide/", form, follow=True).content.decode()
    assert "2 pictures may leave the house now." in posted
    assert "none waits for a decision" in posted
    assert lead.get(f"{PAGE}?state=cleared").content.decode().count('loading="lazy"') == 2
    assert lead.get(f"{PAGE}?state=odd").status_code == 400
    assert "2 cleared, 0 stay out" in lead.get("/studies/tea/export/").content.decode()


def test_viewers_see_them_and_decide_nothing(filmed: Round, cast: Cast) -> None:
    viewer = person("vera")
    StudyRole.objects.create(study=cast.study, person=viewer, role="viewer")
    page = client(viewer).get(PAGE).content.decode()
    assert page.count('loading="lazy"') == 2
    assert 'name="act"' not in page
    form = {"kind": "picture", "chosen": [shots(cast.study)[0].pk], "act": "clear", "as_of": timezone.now().isoformat()}
    assert client(viewer).post("/studies/tea/release/decide/", form).status_code == 404


def test_the_page_asks_no_more_for_more_attempts(filmed: Round, cast: Cast) -> None:
    lead = client(cast.lead)

    def queries() -> int:
        with CaptureQueriesContext(connection) as caught:
            assert lead.get(PAGE).status_code == 200
        return len(caught)

    queries()
    few = queries()
    replays.conclude(Replay.objects.get(attempt__round=filmed, attempt__kind="warm"), played())
    assert queries() == few


def test_the_commands(filmed: Round, cast: Cast, tmp_path: Path) -> None:
    clear(cast, *shots(cast.study))
    Document.objects.filter(recording__attempt__round=filmed).update(meta={"title": "For jo@example.org"})
    out = StringIO()
    call_command("export_study", "tea", str(tmp_path / "b"), "--screenshots", "--json", stdout=out)
    assert json.loads(out.getvalue())["screenshots"] == 3
    assert len(list((tmp_path / "b" / "screenshots").iterdir())) == 2
    out = StringIO()
    call_command("audit_privacy", "tea", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert told["tables"]["screenshots"] == 3
    assert {"kind": "picture", "words": "pictures of replays", "open": 0, "cleared": 2, "withheld": 0} in told["texts"]
    assert any("screenshots of step 1" in where for where, _ in told["places"]["an e-mail address"])
