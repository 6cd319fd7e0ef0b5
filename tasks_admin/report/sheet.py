"""A table of the report: its cells as values, how each is shown, and which rows a line was made of."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field
from typing import Any

UNSAFE = ("=", "+", "-", "@", "\t", "\r")
LATEX = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
         "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
         '"': r"\texttt{\char34}"}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """`kind`: text, count, rate (0..1), points, half (of an interval, points), seconds, number, ends_rate and ends_points (two values),
    p (a p value), reason (a sentence: a cell shows the number of its note, the notes stand below the table)."""

    key: str
    label: str
    kind: str = "text"


N = Column("n", "n", "count")


@dataclass
class Sheet:
    """`rows` hold values by column key; `made_of` says per row which table and field values it was made of, {} where none."""

    name: str
    title: str
    note: str
    columns: list[Column]
    rows: list[dict[str, Any]] = field(default_factory=list)
    made_of: list[dict[str, str]] = field(default_factory=list)

    def add(self, values: dict[str, Any], made_of: dict[str, str] | None = None) -> None:
        self.rows.append({column.key: values.get(column.key) for column in self.columns})
        self.made_of.append(made_of or {})

    def document(self) -> dict[str, Any]:
        """As JSON keeps it; `Sheet.of` makes a sheet of it again."""
        return {
            "name": self.name,
            "title": self.title,
            "note": self.note,
            "columns": [[one.key, one.label, one.kind] for one in self.columns],
            "rows": self.rows,
            "made_of": self.made_of,
        }

    @classmethod
    def of(cls, told: dict[str, Any]) -> Sheet:
        columns = [Column(*one) for one in told["columns"]]
        return cls(told["name"], told["title"], told["note"], columns, told["rows"], told["made_of"])

    def shown(self) -> list[list[str]]:
        """Cells as people read them."""
        numbers = {reason: str(number) for number, reason in enumerate(self.reasons(), 1)}
        return [
            [
                numbers.get(row[column.key], "–") if column.kind == "reason" else cell(row[column.key], column.kind)
                for column in self.columns
            ]
            for row in self.rows
        ]

    def reasons(self) -> list[str]:
        """The sentences of columns of reasons, each once, in the order of their numbers from 1."""
        keys = [column.key for column in self.columns if column.kind == "reason"]
        return list(dict.fromkeys(row[key] for row in self.rows for key in keys if row[key]))


def cell(value: Any, kind: str) -> str:
    """A value as people read it; "–" where there is none."""
    if value is None or value == "":
        return "–"
    if kind == "rate":
        return f"{100 * value:.1f} %"
    if kind == "ends_rate":
        return f"{100 * value[0]:.1f} to {100 * value[1]:.1f}"
    if kind == "ends_points":
        return f"{value[0]:+.1f} to {value[1]:+.1f}"
    if kind == "ends":
        return f"{value[0]:.2f} to {value[1]:.2f}"
    if kind == "half":
        return f"± {value:.1f}"
    if kind == "points":
        return f"{value:+.1f}"
    if kind == "seconds":
        return f"{value:.1f} s"
    if kind == "number":
        return f"{value:.2f}"
    if kind == "p":
        return "< 0.001" if value < 0.001 else f"{value:.3f}"
    return str(value)


def as_csv(sheet: Sheet) -> str:
    """Values in full, a pair as two columns; text that a spreadsheet would run begins with an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    pairs = {column.key for column in sheet.columns if column.kind.startswith("ends")}
    writer.writerow(
        name
        for one in sheet.columns
        for name in ([f"{one.key}_low", f"{one.key}_high"] if one.key in pairs else [one.key])
    )
    for row in sheet.rows:
        cells: list[Any] = []
        for one in sheet.columns:
            value = row[one.key]
            cells += (value or ["", ""]) if one.key in pairs else [safe(value)]
        writer.writerow(cells)
    return out.getvalue()


def safe(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(UNSAFE) else value


def as_json(sheet: Sheet) -> str:
    return (
        json.dumps({"title": sheet.title, "note": sheet.note, "rows": sheet.rows}, ensure_ascii=False, indent=1) + "\n"
    )


def as_latex(sheet: Sheet) -> str:
    """A `tabular` with booktabs' rules, as shown."""
    align = "".join("l" if column.kind == "text" else "r" for column in sheet.columns)
    lines = [f"% {plain(sheet.title)}", rf"\begin{{tabular}}{{{align}}}", r"\toprule"]
    lines += [" & ".join(plain(column.label) for column in sheet.columns) + r" \\", r"\midrule"]
    lines += [" & ".join(map(plain, row)) + r" \\" for row in sheet.shown()]
    notes = [rf"\par{{\footnotesize {number}: {plain(reason)}}}" for number, reason in enumerate(sheet.reasons(), 1)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", *notes, ""])


def plain(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return (
        "".join(LATEX.get(one, one) for one in text)
        .replace("–", "--")
        .replace("≤", r"$\leq$")
        .replace("×", r"$\times$")
        .replace("±", r"$\pm$")
        .replace("−", "$-$")
        .replace("→", r"$\to$")
    )


FORMATS = {"csv": (as_csv, "text/csv"), "json": (as_json, "application/json"), "tex": (as_latex, "text/x-tex")}
