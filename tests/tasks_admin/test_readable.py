"""The rows of `steps` say what the steps say, however these are written."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from tasks_admin.exports.readable import step_columns, step_fields

USUAL = '{"type":"set_value","t":1.5,"t_end":2,"doc":"a","value":"b","raw":[3,14]}'
TOLD = ("set_value", 1.5, 2.0, 3, 14)


@pytest.mark.parametrize(
    ("odd", "told"),
    [
        ({"type": "click", "t": 1, "raw": [1, 2]}, ("click", 1.0, 1.0, 1, 2)),  # no end
        ({"type": "click", "t": 1e-7, "t_end": -2.5, "raw": [1, 2]}, ("click", 1e-7, -2.5, 1, 2)),
        ({"type": "fill", "t": 1.0, "t_end": 2.0, "raw": [1, 2], "value": ',"raw":[8,9]}'}, ("fill", 1.0, 2.0, 1, 2)),
        ({"type": "fill", "t": 1.0, "t_end": 2.0, "value": ',"raw":[8,9]}', "raw": [1, 2]}, ("fill", 1.0, 2.0, 1, 2)),
        ({"t": 1.0, "t_end": 2.0, "type": "copy", "raw": [1, 2]}, ("copy", 1.0, 2.0, 1, 2)),
    ],
)
def test_steps_that_are_written_otherwise(odd: dict[str, Any], told: tuple[Any, ...]) -> None:
    text = json.dumps(odd, separators=(",", ":"))
    assert step_fields(pl.Series([USUAL, text, USUAL])).rows() == [TOLD, told, TOLD]


def test_steps_are_numbered_by_attempt() -> None:
    rows = step_columns({"a": f"{USUAL},\n{USUAL}", "b": "", "c": USUAL}).to_pylist()
    assert [(row["attempt_id"], row["index"], row["step"]) for row in rows] == [
        ("a", 0, USUAL),
        ("a", 1, USUAL),
        ("c", 0, USUAL),
    ]
    assert step_columns({"a": ""}).num_rows == 0
