"""What somebody changed in a bundle's tables and traces, all hashes, counts and figures made anew, contradicts the rest of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest

from annotate.models import Amendment, Attempt, Participation, Replay, Review, Round, TaskCondition
from annotate.models.catalogue import Difficulty
from recorder import fast
from recorder.cleaning.registry import clean_events
from tasks_admin.exports.figures import figures_of
from tasks_admin.exports.files import files_in, pretty, sealed, sha256
from tasks_admin.exports.rows import STATUSES
from tasks_admin.exports.tables import AMONG, SPLIT, TABLES, arrow_schema
from tasks_admin.exports.verify import verify
from tasks_admin.exports.verify.parts import of_events, of_steps
from tasks_admin.exports.verify.proofs import proof_holds
from tasks_admin.exports.verify.verdicts import verdict_holds
from tests.tasks_admin.test_bundle import bundle, done, rows

__all__ = ["bundle", "done"]
COLD, WARM = (f"P2-toyshop-buy-tea-intervention-r1-{kind}" for kind in ("cold", "warm"))
Row = dict[str, Any]


@dataclass
class Forger:
    """Changes a bundle as somebody would who knows how it is made."""

    folder: Path

    def table(self, name: str, change: Callable[[list[Row]], list[Row] | None]) -> None:
        """Change the rows of a table, in both of its files."""
        told = rows(self.folder, name)
        told = change(told) or told
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in told)
        (self.folder / f"{name}.jsonl").write_text(lines)
        schema = arrow_schema(name)
        table = pl.DataFrame(told, schema=pl.Schema(schema)).to_arrow().cast(schema)
        pq.write_table(table, self.folder / f"{name}.parquet")

    def lines(self, name: str, old: str, new: str) -> None:
        """Change the text of a table's JSON lines."""
        path = self.folder / f"{name}.jsonl"
        text = path.read_text().replace('": ', '":')
        assert old in text
        path.write_text(text.replace(old, new))

    def each(self, name: str, **values: Any) -> None:
        """Give every row of a table these values."""
        self.table(name, lambda told: [row | values for row in told])

    def trace(self, attempt: str, change: Callable[[Row], object]) -> None:
        """Change a trace, clean it again, and write what that gives to the other tables, too."""
        path = self.folder / "traces" / f"{attempt}.json"
        trace = json.loads(path.read_text())
        change(trace)
        result = clean_events(trace["events"])
        trace |= {"cleaned": result.cleaned, "steps": result.steps, "counts": result.counts()}
        path.write_text(json.dumps(trace))
        self.table(
            "attempts", lambda told: [row | (result.counts() if row["attempt_id"] == attempt else {}) for row in told]
        )
        self.parts()

    def parts(self) -> None:
        """The tables that are split, of the traces."""
        for table, whole, columns in (("events", "event", of_events), ("steps", "step", of_steps)):
            found: list[Row] = []
            for name in (row["attempt_id"] for row in rows(self.folder, "attempts")):
                items = json.loads((self.folder / "traces" / f"{name}.json").read_text())[table]
                told = columns(items)
                found += [
                    {"attempt_id": name, "index": i, whole: fast.written(item)} | {of: told[of][i] for of in told}
                    for i, item in enumerate(items)
                ]
            schema = arrow_schema(table)
            frame = pl.DataFrame(found, schema=pl.Schema(schema))
            pq.write_table(frame.to_arrow().cast(schema), self.folder / table / "part-00000.parquet")

    def seal(self, **changes: Any) -> None:
        """Counts, figures and hashes anew."""
        path = self.folder / "manifest.json"
        manifest = json.loads(path.read_text()) | changes
        attempts = rows(self.folder, "attempts")
        for table in TABLES:
            parts = sorted((self.folder / table).iterdir()) if table in SPLIT else []
            many = sum(pq.read_metadata(part).num_rows for part in parts)
            manifest["counts"][table] = many if table in SPLIT else len(rows(self.folder, table))
        manifest["attempts_by_status"] = {
            status: sum(row["status"] == status for row in attempts) for status in STATUSES
        }
        manifest["counted_attempts"] = sum(row["status"] == "complete" for row in attempts)
        manifest["figures"] = json.loads(json.dumps(figures_of(self.folder)))
        manifest["files"] = {name: sha256(self.folder / name) for name in files_in(self.folder) if name != path.name}
        path.write_text(pretty(sealed(manifest)))


def failed(forger: Forger) -> None:
    """A check failed, in trace and table, and the attempt still passes."""
    forger.trace(COLD, lambda trace: trace["verdict"]["checks"][0].update(passed=False))
    forger.table(
        "verdict_checks", lambda told: [row | ({"passed": False} if row["attempt_id"] == COLD else {}) for row in told]
    )


def passed(forger: Forger) -> None:
    """An attempt that failed is called passed."""
    forger.trace(COLD, lambda trace: trace["verdict"].update(passed=False))
    forger.table(
        "attempts", lambda told: [row | ({"passed": False} if row["attempt_id"] == COLD else {}) for row in told]
    )


def swap(forger: Forger) -> None:
    forger.table("attempts", lambda told: [row | {"annotator": "P1"} for row in told])
    forger.each("ratings", annotator="P1")


def without_warm(forger: Forger) -> None:
    for table in ("attempts", "verdict_checks"):
        forger.table(table, lambda told: [row for row in told if row["attempt_id"] != WARM])
    (forger.folder / "traces" / f"{WARM}.json").unlink()
    forger.parts()


def drop(event: int) -> Callable[[Forger], None]:
    return lambda forger: forger.trace(COLD, lambda trace: trace["events"].pop(event))


def add(**values: Any) -> Callable[[Forger], None]:
    return lambda forger: forger.trace(COLD, lambda trace: trace["events"].append(trace["events"][-1] | values))


def tell(table: str, **values: Any) -> Callable[[Forger], None]:
    return lambda forger: forger.each(table, **values)


def twice(table: str) -> Callable[[Forger], None]:
    return lambda forger: forger.table(table, lambda told: told * 2)


def proof(**values: Any) -> Callable[[Forger], None]:
    return lambda forger: forger.trace(COLD, lambda trace: trace["proof"].update(values))


def write(name: str, text: str) -> Callable[[Forger], object]:
    return lambda forger: (forger.folder / name).write_text(text)


FORGED: list[tuple[Callable[[Forger], object], str]] = [
    (failed, f"traces/{COLD}.json: it is said to have passed with the full score, but this check failed"),
    (passed, f"traces/{COLD}.json: it is said not to have passed, with the full score and every check held"),
    (tell("verdict_checks", kind="invariant"), f"traces/{COLD}.json: its checks are not those of verdict_checks"),
    (tell("verdict_checks", detail="yes"), f"traces/{COLD}.json: its checks are not those of verdict_checks"),
    (drop(0), f"traces/{COLD}.json: of document "),
    (drop(-1), f"traces/{COLD}.json: of document "),
    (add(), "an event is there twice"),
    (add(n=9), f"traces/{COLD}.json: of document "),
    (add(doc="x", n=0), f"traces/{COLD}.json: its proof does not tell of document x"),
    (add(t=9e9), f"attempts: {COLD} says "),
    (proof(gaps=[{"doc": "x", "from": 1, "to": None, "why": "?"}]), "its documents and gaps say otherwise"),
    (proof(documents={}), f"traces/{COLD}.json: its proof does not tell of document"),
    (proof(blind=[{"doc": "x", "t": 1.0, "reason": "?"}]), f"traces/{COLD}.json: the blind spots of its proof"),
    (swap, "attempts: P2-toyshop-buy-tea-intervention-r1-cold should be called P1-toyshop-buy-tea-intervention-r1-cold"),
    (without_warm, "attempts: of round P2 toyshop buy-tea intervention 1 only the cold attempt is there"),
    (tell("attempts", status="excluded"), f"attempts: {COLD} is called excluded, but no review that stands excludes it"),
    *((tell("attempts", **{column: None}), f"attempts: {COLD} is called complete, but has no {column}")
      for column in ("wall_ms", "active_ms", "raw_events", "steps", "proof_complete", "cleaner")),
    (tell("attempts", wall_ms=-5), "attempts.jsonl line 1: $.wall_ms: -5 is less than the minimum of 0"),
    (tell("attempts", score=7.5), "attempts.jsonl line 1: $.score: 7.5 is greater than the maximum of 1"),
    (tell("participations", tier="primaryx"), "participations.jsonl line 1: $.tier:"),
    (tell("task_conditions", seed=7), "task_conditions.jsonl line 1: its seed is 7, that of the study 42"),
    (lambda forger: forger.trace(COLD, lambda trace: trace.update(seed=7)), f"traces/{COLD}.json: its seed is 7"),
    (lambda forger: forger.trace(COLD, lambda trace: trace.update(note="Ann")), f"traces/{COLD}.json: $: "),
    (twice("task_conditions"), "task_conditions: toyshop buy-tea clean is there several times"),
    (twice("participations"), "participations: P1 is there several times"),
    (twice("ratings"), "ratings: P2 toyshop buy-tea intervention 1 1 clarity is there several times"),
    (lambda forger: forger.lines("participations", '{"code":', '{"code":"Ann","code":'), "participations.jsonl line 1: a name stands"),
    (proof(documents={"d-1": {"last": 1, "received": -1}}), "its proof"),
    (write("traces/note.txt", "x"), "traces/note.txt: no export writes such a file"),
    (write("README.md", "# Nothing"), "README.md: it is not what an export writes of this manifest"),
    (write("croissant.json", "{}"), "croissant.json: it is not what an export writes of this manifest"),
]  # fmt: skip


@pytest.mark.parametrize(("forge", "found"), FORGED)
def test_a_forgery_contradicts_the_rest(bundle: Path, forge: Callable[[Forger], object], found: str) -> None:
    forger = Forger(bundle)
    forge(forger)
    forger.seal()
    problems = verify(bundle)
    assert any(found in problem for problem in problems), problems


def test_the_rules_are_those_of_their_names(bundle: Path) -> None:
    told = json.loads((bundle / "manifest.json").read_text())
    forger = Forger(bundle)
    forger.seal(policy=told["policy"] | {"order": ["time"]}, withheld=[])
    problems = verify(bundle)
    assert "manifest.json: its policy is not what 'default' is" in problems
    assert "manifest.json: what it calls withheld is not what its choice leaves out" in problems
    forger.seal(policy=told["policy"] | {"name": "mine"})
    assert "manifest.json: there is no policy 'mine'" in verify(bundle)


EVENTS = [{"doc": "a", "n": n, "t": 1.0 * n, "type": "click"} for n in (0, 1, 4)]
MISSING = {"doc": "a", "from": 2, "to": 3, "why": "not received"}
REFUSED = {"doc": "a", "from": 3, "to": 3, "why": "refused: no type"}


@pytest.mark.parametrize(
    ("gaps", "holds"),
    [
        ([MISSING], True),
        ([MISSING | {"to": 2}, REFUSED], True),
        ([MISSING, {"doc": "a", "from": 5, "to": None, "why": "the page was not heard again"}], True),
        ([MISSING | {"from": 1}], False),
        ([REFUSED], False),
        ([], False),
    ],
)
def test_a_gap_is_of_what_is_missing(gaps: list[Row], holds: bool) -> None:
    told = {"complete": not gaps, "documents": {"a": {"last": 4, "received": 1}}, "gaps": gaps, "blind": []}
    trace = {"events": EVENTS, "documents": [{"doc": "a"}], "proof": told}
    assert (list(proof_holds("x", trace, {"attempt_id": "x", "wall_ms": None})) == []) is holds


FAILED = {"name": "a", "kind": "obligation", "passed": False}


@pytest.mark.parametrize(
    ("verdict", "check"),
    [
        ({"score": 0.5, "passed": True}, FAILED),
        ({"score": 1.0, "passed": True, "source": "lead"}, FAILED),
        ({"score": 1.0, "passed": True}, FAILED | {"weight": 0}),
        ({"score": 1.0, "passed": False, "reasoning": "a forbidden page was opened"}, FAILED | {"passed": True}),
    ],
)
def test_an_environment_and_a_lead_may_say_what_passes(verdict: Row, check: Row) -> None:
    told = {"source": "server", "checks": [check]} | verdict
    checks = ((0, "a", "obligation", check["passed"], check.get("weight", 1), None),)
    assert list(verdict_holds("x", told, told, checks)) == []


def test_the_texts_that_a_column_may_have_are_those_of_the_models() -> None:
    models = {
        "attempt": Attempt.Kind, "change": Amendment.Kind, "condition": TaskCondition.Condition,
        "decision": Review.Decision, "difficulty": Difficulty,
        "outcome": Replay.Outcome, "tier": Participation.Tier,
    }  # fmt: skip
    for name, told in models.items():
        assert AMONG[name] == tuple(value for value, _ in told.choices), name
    assert set(AMONG["status"]) == set(STATUSES)
    assert {"complete", "rolled_back", "abandoned", "void"} <= {value for value, _ in Round.State.choices}
