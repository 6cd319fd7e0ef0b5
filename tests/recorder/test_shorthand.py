"""Shorthand, read: the lines that are meant, or a clear no. The worker's writing of it is tested in tests/recorder_script."""

from __future__ import annotations

import json
import random
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recorder import shorthand
from recorder.errors import FootpathError
from recorder.shorthand.numbers import digits_of, tenth_text, unzigzag
from recorder.wire import read_line

CASES = json.loads((Path(__file__).parents[1] / "cases" / "shorthand.json").read_text())
LIMIT = 100_000
DIGITS = "".join(chr(code) for code in range(35, 127) if chr(code) != "\\")


def code(number: int) -> str:
    text = ""
    while number >= 61:
        text, number = text + DIGITS[61 + (number - 61) % 30], (number - 61) // 30
    return text + DIGITS[number]


def signed(number: int) -> str:
    return code(-2 * number - 1 if number < 0 else 2 * number)


def said(*groups: Any, order: str = "$", times: str = "#", lines: tuple[str, ...] = (), first: int = 0) -> str:
    """A body of document d1 whose check is that of `lines`."""
    check = zlib.adler32("\n".join(lines).encode()) % 1_000_003
    numbers = "".join(map(signed, (first, 0, 0, -1, check, 0))) + times
    return json.dumps([2, "d1", numbers, order, *groups])


def meant(body: str, held: dict[int, str] | None = None, limit: int = LIMIT) -> list[str]:
    return [line for line, _ in shorthand.lines(shorthand.read(body), "d1", held or {}, limit)]


def refusal(body: str, held: dict[int, str] | None = None, limit: int = LIMIT) -> tuple[int, str]:
    with pytest.raises(FootpathError) as caught:
        meant(body, held, limit)
    return caught.value.status, caught.value.message


@pytest.mark.parametrize("case", CASES, ids=[case["title"] for case in CASES])
def test_what_the_worker_writes_is_read_as_it_was_meant(case: dict[str, Any]) -> None:
    held: dict[int, str] = {}
    for post in case["posts"]:
        read = shorthand.read(post["body"])
        found = shorthand.lines(read, case["doc"], held, LIMIT)
        assert [line for line, _ in found] == post["lines"]
        assert [read.last, read.left, read.rtt, read.sent] == [post[name] for name in ("last", "left", "rtt", "sent")]
        assert read.who == post["who"]
        checked = [read_line(line) for line, _ in found]
        assert all(checked[leader].reason for (_, leader), line in zip(found, checked, strict=True) if line.reason)
        held |= {line.n: line.text for line in checked if line.n is not None}


def test_a_group_that_can_be_read_by_eye() -> None:
    group = [{"type": "mousemove", "origin": "user", "target": {"tag": "p"}, "x": 1, "y": 2.5}, "&a%#", "'d%$"]
    lines = [
        f'{{"doc":"d1","n":{n},"p":{p},"type":"mousemove","origin":"user","target":{{"tag":"p"}},"x":{x},"y":{y}}}'
        for n, p, x, y in ((7, 0, 1, 2.5), (8, 0.1, 2, 2.6), (9, 0.3, 2, 2.5))
    ]
    assert meant(said(group, order="$$$", times="#$%", lines=tuple(lines), first=7)) == lines


@given(st.lists(st.integers(-(2**42), 2**42)))
def test_numbers_come_back(numbers: list[int]) -> None:
    assert list(map(unzigzag, digits_of("".join(map(signed, numbers))))) == numbers


@pytest.mark.parametrize(("tenths", "text"), [(0, "0"), (1000, "100"), (-5, "-0.5"), (267, "26.7"), (-20, "-2")])
def test_tenths_are_written_as_javascript_does(tenths: int, text: str) -> None:
    assert tenth_text(tenths) == text


CLICK = {
    "type": "click",
    "origin": "user",
    "x": 1,
    "value": "a",
    "before": "",
    "data": "a",
    "path": [],
    "target": {"tag": "p"},
}
WRONG = [
    "[]",
    "[3]",
    '[2,"d1","######",""',
    '[2,5,"######",""]',
    '[2,"a b","######",""]',
    '[2,{"doc":7},"######",""]',
    '[2,"d1",7,""]',
    '[2,"d1","######",[]]',
    '[2,"d1","#####",""]',
    '[2,"d1","###### ",""]',
    '[2,"d1","######~",""]',
    f'[2,"d1","######{"~" * 40}#","$",["type"]]',
    '[2,"d1","$#####",""]',
    '[2,"d1","######",""]\nline',
    '[2,"d1","######","#"]',
    '[2,"d1","######","$",[{"type":"focus"}]]',
    said(),
    said([]),
    said(7),
    said([None]),
    said([1.5]),
    said(["x"]),
    said([0]),
    said([-1]),
    said([True]),
    said([1]),
    said([CLICK], order="%"),
    said([CLICK], [CLICK]),
    said([CLICK], [-5], order="$%", times="##"),
    said([CLICK], [1, "&a$"], order="$%", times="##"),
    said(*[[CLICK]] * 1001),
    said(*[[like] for like in range(1, 300)], first=1000, order="".join(map(code, range(1, 300))), times="#" * 299),
    *[said([CLICK, column], order="$$", times="##") for column in (
        None, 7, {}, [], [0], [-1, 2], [9, 2], [True, 2], ["0", 2], [2, 3, 4], "", "%", "%a", "~a#", "zs#", "%x#", "%a ", "%a##", "%az",
        "$a#", "&a#", "%sab", "%tb", "#tx", "%p", "(p", "(px", "(pa", "(pa# a##", "(p!a#", "(qa#", "(g#", ")g#", ")g", ")g##",
    )],
    said([CLICK, *[[2, 1]] * 101], order="$$", times="##"),
    said([{f"f{i}": 1 for i in range(101)}]),
    said([CLICK], order="$" * 2_001, times="#" * 2_001),
    said([CLICK], [0, ")g$"], order="$%", times="##"),
    said([CLICK], [0, "%g#"], order="$%", times="##"),
]  # fmt: skip


@pytest.mark.parametrize("body", WRONG)
def test_what_makes_no_sense_is_refused_by_name(body: str) -> None:
    status, message = refusal(body)
    assert (status, message.partition(":")[0]) == (400, "The batch is malformed")


def test_half_a_character_is_refused() -> None:
    assert refusal(said([CLICK | {"value": "\ud800"}]))[0] == 400


def test_what_is_nested_without_end_is_refused() -> None:
    body = said([{"type": "NEST"}]).replace('"NEST"', "[" * 50_000 + "]" * 50_000)
    assert refusal(body)[0] == 400
    body = said([{"type": "NEST"}]).replace('"NEST"', "[" * 900 + "]" * 900)
    assert refusal(body)[0] in {400, 409}


def test_what_is_not_held_or_was_meant_otherwise_is_told_apart() -> None:
    line = '{"doc":"d1","n":3,"p":1,"type":"focus","origin":"user"}'
    body = said([2], first=5, lines=(line.replace('"n":3,"p":1', '"n":5,"p":0'),))
    assert meant(body, {3: line}) == [line.replace('"n":3,"p":1', '"n":5,"p":0')]
    assert refusal(body)[0] == 409
    assert refusal(body, {3: "[]"})[0] == 409
    assert refusal(body, {3: line.replace('"doc":"d1","n":3', '"n":3,"doc":"d1"')})[0] == 409
    assert refusal(body, {3: line.replace("focus", "blur")})[0] == 409


@pytest.mark.parametrize(
    "body",
    [
        said([CLICK | {"text": "x" * 5000}], order="$" * 1_900, times="#" * 1_900),
        said([CLICK, "&t" + "x" * 1_900], order="$" * 1_901, times="#" * 1_901),
        said([CLICK | {"text": "\0" * 300}], order="$" * 200, times="#" * 200),
    ],
)
def test_little_that_stands_for_much_ends_at_the_limit(body: str) -> None:
    assert refusal(body)[0] == 413


@given(st.data())
def test_a_forged_body_is_read_or_refused(data: Any) -> None:
    case = data.draw(st.sampled_from(CASES))
    post = data.draw(st.sampled_from(case["posts"]))
    body = list(post["body"])
    dice = random.Random(data.draw(st.integers()))
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(body))
        body[at : at + dice.randrange(3)] = dice.choice(
            [DIGITS[dice.randrange(91)], '"', "[", "]", ",", "-", "0", "", "\n", "null"]
        )
    held = {
        line.n: line.text for other in case["posts"] for line in map(read_line, other["lines"]) if line.n is not None
    }
    try:
        shorthand.lines(shorthand.read("".join(body)), case["doc"], held, LIMIT)
    except FootpathError as error:
        assert error.status in {400, 409, 413}  # noqa: PT017
