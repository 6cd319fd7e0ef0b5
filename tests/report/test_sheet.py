"""Tables of the report: as people read them, as CSV that no spreadsheet runs, as LaTeX that prints what it says."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tasks_admin.report.sheet import Column, Sheet, as_csv, as_json, as_latex, cell


@pytest.fixture
def sheet() -> Sheet:
    columns = [Column("model", "Model"), Column("rate", "≤ 2H", "rate"), Column("ends", "95 %", "ends_rate")]
    made = Sheet("x", "50 % & more", "note", columns)
    made.add({"model": "=cmd|' /C calc'!A0", "rate": 0.5, "ends": [0.25, 0.75]}, {"of": "runs"})
    made.add({"model": "a_b {c}", "rate": None, "ends": None})
    return made


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (None, "rate", "–"), (0.123, "rate", "12.3 %"), ([0.1, 0.2], "ends_rate", "10.0 to 20.0"), (-3.04, "points", "-3.0"),
        ([-1, 2], "ends_points", "-1.0 to +2.0"), (0.0004, "p", "< 0.001"), (0.04, "p", "0.040"), (7, "count", "7"), (0, "count", "0"),
    ],
)  # fmt: skip
def test_cells(value: object, kind: str, shown: str) -> None:
    assert cell(value, kind) == shown


def test_csv_holds_full_values_and_nothing_that_runs(sheet: Sheet) -> None:
    rows = list(csv.reader(io.StringIO(as_csv(sheet))))
    assert rows == [
        ["model", "rate", "ends_low", "ends_high"],
        ["'=cmd|' /C calc'!A0", "0.5", "0.25", "0.75"],
        ["a_b {c}", "", "", ""],
    ]


def test_latex_prints_what_it_says(sheet: Sheet) -> None:
    text = as_latex(sheet)
    assert r"% 50 \% \& more" in text
    assert r"Model & $\leq$ 2H & 95 \% \\" in text
    assert r"a\_b \{c\} & -- & -- \\" in text
    assert r"\begin{tabular}{lrr}" in text


def test_latex_prints_angles_bars_and_quotes_as_they_are() -> None:
    shown = Sheet("a", "A", "", [Column("model", "Model")], [{"model": '<img src="x">|'}], [{}])
    assert r"\textless{}img src=\texttt{\char34}x\texttt{\char34}\textgreater{}\textbar{} \\" in as_latex(shown)


def test_a_reason_is_a_number_in_its_cell_and_a_sentence_below_the_table() -> None:
    made = Sheet("x", "X", "", [Column("model", "Model"), Column("refused", "Refused, note", "reason")])
    for model, refused in (("a", "units_differ"), ("b", None), ("c", "no steps"), ("d", "units_differ")):
        made.add({"model": model, "refused": refused})
    assert [cells[1] for cells in made.shown()] == ["1", "–", "2", "1"]
    assert made.reasons() == ["units_differ", "no steps"]
    assert as_csv(made).splitlines()[1] == "a,units_differ"
    assert as_latex(made).splitlines()[-2:] == [
        r"\par{\footnotesize 1: units\_differ}",
        r"\par{\footnotesize 2: no steps}",
    ]


def test_latex_knows_every_sign_of_our_headers() -> None:
    shown = Sheet("a", "A", "", [Column("minus", "WES−")], [{"minus": "cold → warm"}], [{}])
    assert as_latex(shown).isascii()


def test_a_sheet_survives_being_stored(sheet: Sheet) -> None:
    again = Sheet.of(json.loads(json.dumps(sheet.document())))
    assert again == sheet
    assert json.loads(as_json(again))["rows"][0]["ends"] == [0.25, 0.75]
