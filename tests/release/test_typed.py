"""A mask covers what was typed on the way to what it matches, in events, steps and captures, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from recorder.cleaning.registry import CLEANERS, clean_events
from tasks_admin.release.masks import MASK, parsed
from tasks_admin.release.typed import masked_events, masked_page

MASKS = parsed(["[Aa]nna", r"\b\d{4}\b"], ["token"])
Event = dict[str, Any]


def at(n: int, kind: str, field: str = "#to", **fields: Any) -> Event:
    place = {"doc": "d", "n": n, "t": 100.0 * n, "tab": 1, "frame": "", "type": kind, "origin": "user"}
    return place | {"target": {"css": field, "xpath": f"/html/{field}", "tag": "input", "type": "text"}} | fields


def typed(text: str, field: str = "#to", n: int = 0, *, values: bool = True) -> list[Event]:
    events = []
    for place, letter in enumerate(text):
        events.append(at(n + 2 * place, "keydown", field, key=letter, code=f"Key{letter.upper()}"))
        if values:
            told = {"value": text[: place + 1], "before": text[:place], "data": letter, "inputType": "insertText"}
            events.append(at(n + 2 * place + 1, "input", field, **told))
    return events


def test_nothing_of_the_way_to_a_masked_word_is_left() -> None:
    events = typed("To Anna, 1234") + [at(90, "change", value="To Anna, 1234"), at(91, "selection", text="Ann")]
    masked = masked_events(MASKS, events)
    assert [list(event) for event in masked if event["type"] != "keydown"] == [
        list(event) for event in events if event["type"] != "keydown"
    ]
    assert {event["key"] for event in masked if event["type"] == "keydown"} == {"•"}
    assert not any("code" in event for event in masked)
    assert {event["data"] for event in masked if event["type"] == "input"} == {"•"}
    assert {event["value"] for event in masked[:-2] if event["type"] == "input"} == {"•••"}
    assert [masked[-2]["value"], masked[-1]["text"]] == ["To •••, •••", "•••"]
    for cleaner in CLEANERS:
        steps = json.dumps(clean_events(masked, cleaner).steps, ensure_ascii=False)
        assert "To •••, •••" in steps
        assert "Ann" not in steps.replace("Anna", "")


def test_other_fields_stay_as_they_were() -> None:
    others = typed("To Bob, 12", "#other", 50) + [at(99, "keydown", "#to", key="Enter", code="Enter")]
    masked = masked_events(MASKS, typed("Anna") + others)
    assert masked[8:] == others


def test_keys_that_tell_no_value_are_read_together() -> None:
    masked = masked_events(MASKS, typed("anna", "canvas", values=False) + typed("bob", "#other", 50, values=False))
    assert [event["key"] for event in masked] == ["•"] * 4 + list("bob")


def test_numbers_are_told_no_other_way() -> None:
    (masked,) = masked_events(MASKS, [at(0, "input", value=1234, before=12, checked=True)])
    assert (masked["value"], masked["before"], masked["checked"]) == ("•••", "•••", True)


@pytest.mark.parametrize(
    ("address", "left"),
    [
        ("/a?token=abc&x=1", "/a?token=•••&x=1"),
        ("/a#token=abc", "/a#token=•••"),
        ("/a;token=abc;x", "/a;token=•••;x"),
        ("/a?%74oken=abc", "/a?%74oken=•••"),
        ("/a?token%5B%5D=abc&y", "/a?token%5B%5D=•••&y"),
        ("/a?token[0]=abc", "/a?token[0]=•••"),
        ('a[href="/a?token=abc"]', 'a[href="/a?token=•••"]'),
        ("/a?tokens=abc", "/a?tokens=abc"),
    ],
)
def test_parameters_however_they_are_spelt(address: str, left: str) -> None:
    event = at(0, "navigate", address, url=address)
    (masked,) = masked_events(MASKS, [event])
    assert (masked["url"], masked["target"]["css"]) == (left, left)


def test_without_masks_nothing_changes() -> None:
    events = typed("Anna")
    assert masked_events(parsed([], []), events) == events


def test_a_captured_page_tells_no_prefix() -> None:
    def given(node: int, text: str) -> Event:
        return {"type": 3, "timestamp": 1.0, "data": {"source": 5, "id": node, "text": text, "isChecked": False}}

    def changed(node: int, text: str) -> Event:
        return {
            "type": 3,
            "timestamp": 1.0,
            "data": {"source": 0, "texts": [{"id": node, "value": text}], "attributes": []},
        }

    way = [given(7, "A"), given(7, "Ann"), given(7, "Anna!"), given(8, "Ann"), changed(9, "An"), changed(9, "Anna")]
    told = list(masked_page(MASKS, lambda: json.loads(json.dumps(way))))
    assert [event["data"].get("text") for event in told[:4]] == ["•••", "•••", "•••!", "Ann"]
    assert [event["data"]["texts"][0]["value"] for event in told[4:]] == ["•••", "•••"]


def test_in_a_captured_page_no_attribute_is_left_out() -> None:
    attributes = {"action": "/a?token=abc", "key": "Anna", "css": "Anna", "frame": "of Anna"}
    node = {"type": 2, "tagName": "Anna", "attributes": attributes, "childNodes": [{"type": 3, "textContent": "Anna"}]}
    (told,) = masked_page(MASKS, lambda: [{"type": 2, "timestamp": 1.0, "data": {"node": node}}])
    assert told["data"]["node"] == {
        "type": 2, "tagName": "Anna", "childNodes": [{"type": 3, "textContent": MASK}],
        "attributes": {"action": "/a?token=•••", "key": MASK, "css": MASK, "frame": f"of {MASK}"},
    }  # fmt: skip


def test_a_mask_that_matches_nothing_between_letters_masks_nothing() -> None:
    assert parsed(["(?=n)"], []).text("Anna") == "Anna"
