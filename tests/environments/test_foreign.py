from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recorder.environments.base import Foreign
from recorder.gateway.foreign import Renamer, policy

NAMED = "/__footpath__/stub/fonts.example"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (b"<link href=https://fonts.example/a.css>", f"<link href={NAMED}/a.css>"),
        (b"url('//fonts.example/x')", f"url('{NAMED}/x')"),
        (b'"http://FONTS.example"', f'"{NAMED}"'),
        (b"https://fonts.example.org/a", "https://fonts.example.org/a"),
        (b"https://my-fonts.example/a", "https://my-fonts.example/a"),
        (b"https://fonts.example", NAMED),
        (b"https:/ /fonts.example/ //", "https:/ /fonts.example/ //"),
        (b"@import url(https://fonts.example:8443/a)", f"@import url({NAMED}:8443/a)"),
    ],
)
def test_hosts_are_named_anew_wherever_the_text_is_cut(text: bytes, named: str) -> None:
    for cut in range(len(text) + 1):
        renamer = Renamer(("fonts.example",))
        assert (renamer.feed(text[:cut]) + renamer.feed(text[cut:]) + renamer.end()).decode() == named, cut


def test_whole_domains() -> None:
    renamer = Renamer(("*.example",))
    assert renamer.feed(b"(//a.b.example/x)") + renamer.end() == b"(/__footpath__/stub/a.b.example/x)"


@given(st.binary(max_size=400), st.lists(st.integers(0, 400), max_size=6))
def test_other_bytes_come_through_unchanged(data: bytes, cuts: list[int]) -> None:
    renamer = Renamer(("fonts.example",))
    places = [0, *sorted(cuts), len(data)]
    parts = [data[begin:end] for begin, end in zip(places, places[1:], strict=False) if begin <= end]
    assert b"".join([*(renamer.feed(part) for part in parts), renamer.end()]) == b"".join(parts)


def test_the_policy_lets_the_site_and_what_is_allowed_through() -> None:
    assert policy(Foreign(("cdn.example",))) == (
        "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob: cdn.example; form-action 'self' cdn.example"
    )
    assert policy(Foreign()).endswith("; form-action 'self'")
