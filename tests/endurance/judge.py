"""Compare what the page had with what is held, and with what the proof says. All times are the document's own, ms.

What a page tells as it goes away may not reach the console: the page's log is what must be held, not all that may be.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from recorder import recordings
from recorder.models import Document, Event, Recording

SAME_MS = 100.0
CLICK_MS = 5000.0
GRACE_MS = 1000.0
ASKED_MS = 1000.0  # from when a crash was asked for until it comes
Key = tuple[int, str, str]


@dataclass
class Truth:
    """The page's own log: (time origin, type, what, time stamp), and when its documents began, epoch ms.

    `crashes`: epoch ms at which a document was killed.
    """

    seen: list[tuple[float, str, str, float]] = field(default_factory=list)
    begun: list[float] = field(default_factory=list)
    crashes: list[float] = field(default_factory=list)

    def add(self, text: str) -> None:
        origin, kind, what, stamp = json.loads(text)
        if kind == "load":
            self.begun.append(origin)
        else:
            self.seen.append((origin, kind, what, stamp))


@dataclass
class Judgement:
    """What is wrong with a recording; `faults` is empty where nothing is."""

    faults: list[str] = field(default_factory=list)
    events: int = 0
    truths: int = 0
    lost_in_crash: int = 0
    complete: bool = False


def judge(recording: Recording, truth: Truth) -> Judgement:
    """Judge a closed recording."""
    documents = {document.pk: document for document in recording.documents.all()}
    rows = list(Event.objects.filter(recording=recording).values_list("document_id", "n", "body"))
    held = index(documents, rows)
    twice = [f"stored twice: {key} at {p}" for key, times in held.items() for p in set(times) if times.count(p) > 1]
    result = Judgement(events=len(rows), truths=len(truth.seen))
    for entry in sorted(truth.seen, key=lambda entry: entry[3]):
        if not take(held[key_of(*entry[:3])], entry):
            note_lost(result, truth, entry, held[key_of(*entry[:3])])
    result.faults += twice
    result.faults = summed(result.faults)
    judge_proof(result, recording, truth, list(documents.values()), rows)
    return result


def take(times: list[float], entry: tuple[float, str, str, float]) -> bool:
    """Take the held time that is this entry's out of the list; False where there is none."""
    late = CLICK_MS if entry[1] == "click" else SAME_MS  # a click's time is anywhere from its press to its release
    for p in times:
        if -SAME_MS < p - entry[3] < late:
            times.remove(p)
            return True
    return False


def note_lost(result: Judgement, truth: Truth, entry: tuple[float, str, str, float], near: list[float]) -> None:
    """Lost: excused where the page had it for less than a second when it crashed."""
    origin, kind, what, stamp = entry
    if any(crash > origin and crash - origin - stamp < GRACE_MS for crash in truth.crashes):
        result.lost_in_crash += 1
    else:
        result.faults.append(f"lost: {kind} {what!r} at {stamp} of {origin}, held at {near}")


def summed(faults: list[str]) -> list[str]:
    """The first few, and how many more."""
    return faults[:3] + ([f"and {len(faults) - 3} more like these"] if len(faults) > 3 else [])


def key_of(origin: float, kind: str, what: str) -> Key:
    return round(origin), kind, what


def index(documents: dict[int, Document], rows: list[tuple[int, int, str]]) -> dict[Key, list[float]]:
    """Times of the held events that the page logs too."""
    held: dict[Key, list[float]] = defaultdict(list)
    for document_id, _, body in rows:
        event = json.loads(body)
        what = {
            "click": lambda e: e["target"]["css"].removeprefix("#"),
            "keydown": lambda e: e["key"],
            "input": lambda e: e["value"],
        }.get(event["type"])
        if what and event["origin"] == "user":
            origin = documents[document_id].meta.get("time_origin", 0)
            held[key_of(origin, event["type"], what(event))].append(event["p"])
    for times in held.values():
        times.sort()
    return held


def judge_proof(
    result: Judgement, recording: Recording, truth: Truth, documents: list[Document], rows: list[tuple[int, int, str]]
) -> None:
    """The proof is complete where nobody crashed; else it names what a dead page may still have had, and nothing else."""
    proof = recordings.proof(recording)
    result.complete = proof.complete
    crashes = [
        crash for crash in truth.crashes if not unheard(crash, truth, documents) and not between_pages(crash, documents)
    ]
    if not crashes:
        if not proof.complete:
            result.faults.append(f"incomplete without a crash: {proof.gaps}")
        return
    if proof.complete:
        result.faults.append("complete although a tab died")
    dead = [document for document in documents if any(died(document, crash, documents) for crash in crashes)]
    for document in documents:
        gaps = [gap for gap in proof.gaps if gap["doc"] == document.doc]
        if document not in dead:
            result.faults += [f"a gap where nobody died: {gap}" for gap in gaps]
        elif fault := gap_fault(document, gaps, {n for pk, n, _ in rows if pk == document.pk}):
            result.faults.append(fault)


def unheard(crash: float, truth: Truth, documents: list[Document]) -> bool:
    """True where the page that crashed was younger than a second and nobody had heard of it: it had nothing to lose."""
    dead = max((origin for origin in truth.begun if origin < crash), default=0.0)
    heard = any(round(document.meta.get("time_origin", 0)) == round(dead) for document in documents)
    return not heard and crash - dead < GRACE_MS


def between_pages(crash: float, documents: list[Document]) -> bool:
    """True where the tab crashed on its way to a page that did not come up: the one before had said farewell."""
    before = [other for other in documents if other.meta.get("time_origin", 1e18) < crash]
    last = max(before, key=lambda other: other.meta["time_origin"], default=None)
    closed = last.meta.get("closed") if last and last.closed_at else None
    return last is not None and closed is not None and bool(last.meta["time_origin"] + closed <= crash + ASKED_MS)


def died(document: Document, crash: float, documents: list[Document]) -> bool:
    """True for the document that was up when its tab crashed: the latest that began before."""
    before = [other.meta["time_origin"] for other in documents if other.meta.get("time_origin", 1e18) < crash]
    return bool(before) and document.meta.get("time_origin") == max(before)


def gap_fault(document: Document, gaps: list[dict[str, Any]], stored: set[int]) -> str:
    """What the gaps of a dead document say wrongly, or ''."""
    ends = [gap for gap in gaps if gap["to"] is None]
    if len(ends) != 1:
        return f"the end of a dead page is not told: {gaps}"
    named = {n for gap in gaps if gap["to"] is not None for n in range(gap["from"], gap["to"] + 1)}
    missing = set(range(ends[0]["from"])) - stored
    wrong = any(n >= ends[0]["from"] for n in stored)
    return f"gaps {gaps} but missing {sorted(missing)}" if named != missing or wrong else ""
