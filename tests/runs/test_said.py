"""What the importer says is used, or refused: never passed over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tasks_admin.runs.registry import FORMATS
from tasks_admin.runs.said import check
from tasks_admin.runs.shape import BadRuns, Given, RunIn
from tests.runs import writing

SAID: dict[str, Any] = {
    "columns": {"task": "qid"},
    "task": "a",
    "step_unit": "model_turns",
    "elapsed": "duration",
}
HEEDED = {
    "agentlab": {"task"},
    "agentrewardbench": {"task"},
    "breakingweb": {"columns", "step_unit", "elapsed"},
    "browser-use": {"task", "step_unit"},
    "componentbench": {"columns", "step_unit"},
    "online-mind2web": set(),
    "osworld": {"task", "step_unit"},
    "table": {"columns", "step_unit"},
    "webarena": set(),
}


@pytest.mark.parametrize("name", FORMATS)
def test_what_a_format_cannot_use_is_refused_all_at_once(name: str) -> None:
    idle = SAID.keys() - HEEDED[name]
    check(Given(model="m", harness="h", condition="clean", **{one: SAID[one] for one in HEEDED[name]}), FORMATS[name])
    with pytest.raises(BadRuns, match=rf"^The format {name} .*; leave .* out.*\. Nothing was imported\.$") as refused:
        check(Given(**SAID), FORMATS[name])
    assert set(refused.value.asks) == idle
    assert refused.value.words.count("leave ") == len(idle)


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("componentbench", writing.component_row("a", steps=7, who="me", row="r7")),
        ("breakingweb", {"task": "a", "negative_checks": [], "success": True, "steps": 7, "who": "me", "row": "r7"}),
        ("table", {"task": "a", "success": True, "steps": 7, "who": "me", "row": "r7"}),
    ],
)
def test_a_table_is_read_as_it_is_said_where_its_rows_do_not_tell(
    tmp_path: Path, name: str, row: dict[str, Any]
) -> None:
    path = writing.lines(tmp_path / "results.jsonl", row)
    unit = "executed_actions" if name == "componentbench" else "model_turns"
    columns = {"harness": "who", "run_id": "row"}
    (run,) = FORMATS[name].read(path, Given(condition="intervention", step_unit=unit, columns=columns))
    assert isinstance(run, RunIn)
    told = (run.condition or "intervention", run.step_unit or unit, run.harness, run.run_id)
    assert told == ("intervention", unit, "me", "r7")
