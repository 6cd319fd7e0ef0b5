"""Blind labels of runs: what a labeller must not see, who may label, and the page that judges them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.errors import NotYet
from annotate.models import AuditEntry
from tasks_admin.labels import runs
from tasks_admin.models import Run, RunLabel
from tests.cast import Cast
from tests.labels.test_import_labels import command as import_labels
from tests.runs import writing
from tests.runs.test_take_in import command as import_runs
from tests.runs.test_take_in import row as run_row
from tests.tasks_admin.test_review_pages import client, role

PAGE = "/studies/tea/labels/"


@pytest.fixture
def run(cast: Cast, tmp_path: Path) -> Run:
    """A run of secret-model by browser-use, which says of itself that it passed, and one without anything to look at."""
    import_runs(writing.browser_use(tmp_path / "buy-tea.json"), cast, "--model", "secret-model", "--condition", "clean")
    import_runs(writing.lines(tmp_path / "bare.jsonl", run_row(cast, model="bare")), cast)
    return Run.objects.get(model="secret-model")


def test_the_page_keeps_from_a_labeller_what_would_tell(cast: Cast, run: Run) -> None:
    page = client(cast.lead).get(f"{PAGE}runs/{run.pk}/").content.decode()
    assert (
        re.findall(r"secret-model|browser-use|success\b|passed|score\b(?!,)", page.replace('name="success"', "")) == []
    )
    for shown in ("Buy green tea.", "click_element_by_index(index=3)", "All done", "Element doesn&#x27;t exist"):
        assert shown in page


def test_words_are_kept_and_a_changed_mind_is_a_row_more(cast: Cast, run: Run) -> None:
    lead = client(cast.lead)
    place = f"{PAGE}runs/{run.pk}/"
    assert lead.post(f"{PAGE}runs/start/").headers["Location"] == place
    assert lead.post(place, {"success": "maybe"}).status_code == 400
    assert lead.post(place, {"success": "yes"}).headers["Location"] == PAGE
    lead.post(place, {"success": "yes"})
    lead.post(place, {"success": "no", "note": "not bought\x00"})
    assert [(one.success, one.note) for one in RunLabel.objects.all()] == [(True, ""), (False, "not bought\ufffd")]
    assert AuditEntry.objects.filter(action="label run").count() == 2
    assert lead.post(f"{PAGE}runs/start/").headers["Location"] == PAGE  # the bare one is not offered


def test_a_run_without_anything_to_look_at_says_so(cast: Cast, run: Run) -> None:
    bare = Run.objects.get(model="bare")
    page = client(cast.lead).get(f"{PAGE}runs/{bare.pk}/").content.decode()
    assert "nothing to look at" in page
    assert 'name="success"' not in page
    with pytest.raises(NotYet, match="without a trajectory"):
        runs.label(bare, cast.lead, success=True)
    assert "1 came without anything to look at" in client(cast.lead).get(PAGE).content.decode()


def test_viewers_look_and_others_do_not(cast: Cast, run: Run) -> None:
    viewer = client(role(cast, "vera.viewer", "viewer"))
    place = f"{PAGE}runs/{run.pk}/"
    assert viewer.post(place, {"success": "yes"}).status_code == 404
    assert 'name="success"' not in viewer.get(place).content.decode()
    assert client(cast.other_lead).get(f"/studies/coffee/labels/runs/{run.pk}/").status_code == 404


def test_the_page_its_rows_and_its_files(cast: Cast, run: Run, tmp_path: Path) -> None:
    lead = client(cast.lead)
    runs.label(run, cast.lead, success=False)
    said = {"judge": "<b>J</b>", "model": "secret-model", "task": "buy-tea", "label": "failure", "reason": "no <order>"}
    import_labels(writing.lines(tmp_path / "labels.jsonl", said), cast)
    page = lead.get(PAGE).content.decode()
    assert "&lt;b&gt;J&lt;/b&gt;" in page
    assert "agent&#x27;s own word" in page
    told = json.loads(lead.get(PAGE + "file/").content)["judges_against_people"]
    assert [(one["judge"], one["model"], one["table"]) for one in told] == [
        ("<b>J</b>", "secret-model", [[0, 0], [0, 1]]),
        ("agent's own word", "secret-model", [[0, 1], [0, 0]]),
    ]
    lines = b"".join(lead.get(PAGE + "file/judges.csv").streaming_content).decode().splitlines()
    assert lines[1].startswith("<b>J</b>,secret-model,1,1.0")
    rows = lead.get(PAGE + "rows/", {"judge": "<b>J</b>", "cell": "neither"}).content.decode()
    assert "no &lt;order&gt;" in rows
    assert f"/labels/runs/{run.pk}/" in rows
    assert "No row counts" in lead.get(PAGE + "rows/", {"judge": "<b>J</b>", "cell": "both"}).content.decode()
    assert lead.get(PAGE + "rows/", {"judge": "J", "cell": "odd"}).status_code == 400
    second = client(role(cast, "second.lead", "lead")).get(PAGE + "rows/", {"judge": "<b>J</b>"}).content.decode()
    assert "1 of these you have not labelled yourself" in second


def labelled_runs(cast: Cast, folder: Path, begin: int, count: int) -> None:
    """Runs of models of their own, each labelled by the lead and by a judge."""
    for number in range(begin, begin + count):
        import_runs(
            writing.browser_use(folder / str(number) / "buy-tea.json"),
            cast,
            "--model",
            f"m{number}",
            "--condition",
            "clean",
        )
        runs.label(Run.objects.get(model=f"m{number}"), cast.lead, success=True)
        said = {"judge": "J", "model": f"m{number}", "task": "buy-tea", "label": "success"}
        import_labels(writing.lines(folder / str(number) / "labels.jsonl", said), cast)


@pytest.mark.parametrize("path", ["labels/", "labels/rows/?judge=J", "labels/file/", "runs/", "labels/imported/"])
def test_queries_do_not_grow_with_the_rows(cast: Cast, tmp_path: Path, path: str) -> None:
    counts = []
    for begin, count in ((0, 2), (2, 6)):
        labelled_runs(cast, tmp_path, begin, count)
        with CaptureQueriesContext(connection) as queries:
            assert client(cast.lead).get(f"/studies/tea/{path}").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_a_long_trajectory_comes_in_parts(cast: Cast, tmp_path: Path) -> None:
    steps = [{"action": f"click({n})", "thought": "x" * 9000} for n in range(1100)]
    found = {"model": "m", "task_id": "buy-tea", "variant": "base", "score": 0, "success": False, "steps": steps}
    import_runs(writing.document(tmp_path / "a.json", found), cast)
    run = Run.objects.get()
    assert (len(run.trajectory.steps), run.trajectory.cut, len(run.trajectory.steps[0]["thought"])) == (
        1000,
        True,
        4000,
    )
    lead = client(cast.lead)
    first, last = (lead.get(f"{PAGE}runs/{run.pk}/?part={part}").content.decode() for part in ("1", "9999"))
    assert len(first) < 300_000
    assert "click(0)" in first
    assert "click(999)" in last
    assert runs.pieces([]) == [range(0)]
