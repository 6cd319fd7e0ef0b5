"""The canary finds a withheld value however it is written, and does not cry at what only looks like a comment."""

from __future__ import annotations

import json

import pytest

from tasks_admin.exports.privacy import ADDRESS, NAME, Canary, Leak

CANARY = Canary(
    [
        (ADDRESS, "Bob.Annotator@example.org"),
        (NAME, 'Zoë O\'Hara "Q"'),
        ("a comment that was not cleared", "Too slow here"),
    ]
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("to bob.annotator@example.org", ADDRESS),
        ("to BOB.ANNOTATOR@EXAMPLE.ORG", ADDRESS),
        ("/?m=Bob.Annotator%40example.org", ADDRESS),
        ("/?m=bob.annotator%40Example.Org&x", ADDRESS),
        (json.dumps({"q": 'Zoë O\'Hara "Q"'}, ensure_ascii=False), NAME),
        ('ZOË O\'HARA "Q"', NAME),
        ("/?q=Zo%C3%AB+O%27Hara+%22Q%22", NAME),
        ("/?q=zo%c3%ab%20o%27hara%20%22q%22", NAME),
        ("it was Too slow here.", "a comment that was not cleared"),
        ("/?q=Too+slow+here", "a comment that was not cleared"),
    ],
)
def test_found(text: str, kind: str) -> None:
    with pytest.raises(Leak) as leak:
        CANARY.check(["fine", text], ["first", "second"])
    assert leak.value.message.startswith(f"The bundle would hold {kind} (in second)")


@pytest.mark.parametrize(
    "text", ["too slow here", "TOO SLOW HERE", "Bob Annotator", "bob.annotator at example.org", ""]
)
def test_nothing_to_find(text: str) -> None:
    CANARY.check([text], ["first"])
