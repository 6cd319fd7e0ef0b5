"""Whether a trace's completeness proof is that of its events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from recorder.proof import MOST_REFUSED, blind_spot

Trace = dict[str, Any]
AFTER_MS = 60_000  # a recording is closed within seconds of Evaluate; a page's clock may be off by some


def proof_holds(name: str, trace: Trace, attempt: dict[str, Any]) -> Iterator[str]:
    """The proof tells of each document of which there are events, how far these go, what of them is missing and what was not seen."""
    proof, numbers = trace["proof"], numbers_of(trace["events"])
    told = set(proof["documents"])
    for doc in sorted({*numbers, *(entry["doc"] for entry in trace["documents"])} - told):
        yield f"traces/{name}: its proof does not tell of document {doc}"
    for doc in sorted(told - {entry["doc"] for entry in trace["documents"]}):
        yield f"traces/{name}: its proof tells of document {doc}, which is not among its documents"
    for doc, cursor in proof["documents"].items():
        yield from _numbers_hold(f"traces/{name}: of document {doc}", numbers.get(doc, []), cursor, proof["gaps"], doc)
    if proof["complete"] != (bool(told) and not proof["gaps"]):
        yield f"traces/{name}: its proof says complete={proof['complete']}, its documents and gaps say otherwise"
    seen = sorted(map(_spot, filter(lambda spot: spot.get("doc") is not None, proof["blind"])))
    if seen != sorted(_spot(blind_spot(event)) for event in trace["events"] if event["type"] == "blind"):
        yield f"traces/{name}: the blind spots of its proof are not those of its events"
    if attempt["wall_ms"] is not None and trace["events"]:
        latest = max(event["t"] for event in trace["events"])
        if latest > attempt["wall_ms"] + AFTER_MS:
            yield f"attempts: {attempt['attempt_id']} says {attempt['wall_ms']} wall_ms, its trace has an event at {latest:.0f} ms"


def numbers_of(events: Iterable[dict[str, Any]]) -> dict[str, list[int]]:
    """{document: the numbers of its events, in order}."""
    found = defaultdict(list)
    for event in events:
        found[event["doc"]].append(event["n"])
    return {doc: sorted(numbers) for doc, numbers in found.items()}


def _numbers_hold(
    where: str, numbers: list[int], cursor: dict[str, int], gaps: list[dict[str, Any]], doc: str
) -> Iterator[str]:
    """Each number from 0 to the last is there once, or in a gap."""
    held = set(numbers)
    if len(held) < len(numbers):
        yield f"{where} an event is there twice"
    if numbers and not 0 <= numbers[0] <= numbers[-1] <= cursor["last"]:
        yield f"{where} there are the events {numbers[0]} to {numbers[-1]}, its proof says 0 to {cursor['last']}"
        return
    runs = [(gap["from"], gap["to"], gap["why"]) for gap in gaps if gap.get("doc") == doc and gap.get("to") is not None]
    if sum(str(gap["why"]).startswith("refused") for gap in gaps if gap.get("doc") == doc) >= MOST_REFUSED:
        return  # not all that was refused is named
    if not gaps and cursor["received"] != cursor["last"]:
        yield f"{where} its proof says that {cursor['received']} is the last event held of {cursor['last']}, and names no gap"
    missing = sum(min(last, cursor["last"]) - max(first, 0) + 1 for first, last, _ in set(runs))
    if any(first <= n <= last for first, last, why in runs if why == "not received" for n in numbers):
        yield f"{where} there are events that its proof calls missing"
    elif len(held) + missing < cursor["last"] + 1:
        yield f"{where} there are {len(held)} events of {cursor['last'] + 1}, and its proof does not say why"


def _spot(spot: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(spot.get(part)) for part in ("doc", "t", "reason", "detail"))
