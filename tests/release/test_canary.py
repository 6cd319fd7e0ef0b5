"""The canary finds a withheld value however it is written, and does not cry at what only looks like one."""

from __future__ import annotations

import json
import unicodedata

import pytest

from annotate.models import FormerName
from annotate.naming import ADDRESS, NAME, SURNAME, digest, ways
from tasks_admin.exports.named import People
from tasks_admin.exports.privacy import Canary, Leak

PRESENT = [
    ('Zo\u00eb O\'Hara "Q"', "Bob.Annotator@example.org"),
    ("Mariana Fernandez", "m@x.org"),
    ("Jo Li", ""),
    ("S\u00f8ren \u00c5ngstr\u00f6m", ""),
    ("\u738b\u5c0f\u660e", ""),
    ("Ann Baker", ""),
    ("Teo Basket", ""),
    ("Jan Button", ""),
    ("Tom Alexander Fox", ""),
    ("Eva-Marie Rey", ""),
    ("Ola Wałęsa", ""),
    ("P2", ""),
]
COMMENT = "a comment that was not cleared"
OWN = frozenset({"basket"})  # what the tasks say themselves


def former(name: str, email: str) -> list[FormerName]:
    found = ways(name, email).items()
    return [FormerName(kind=kind, words=len(w.split()), letters=len(w), digest=digest(w)) for w, kind in found]


GONE = [one for name, email in PRESENT for one in former(name, email)]
CANARIES = {
    "present": Canary(People(PRESENT, own=OWN), [(COMMENT, "Too slow here")]),
    "former": Canary(People(former=GONE, own=OWN), [(COMMENT, "Too slow here")]),
}


@pytest.mark.parametrize("when", CANARIES)
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("to bob.annotator@example.org", ADDRESS),
        ("to BOB.ANNOTATOR@EXAMPLE.ORG", ADDRESS),
        ("/?m=Bob.Annotator%40example.org", ADDRESS),
        ("/?m=bob.annotator%2540Example.Org&x", ADDRESS),
        ("<m@x.org>", ADDRESS),
        (json.dumps({"q": 'Zo\u00eb O\'Hara "Q"'}, ensure_ascii=False), NAME),
        ("ZO\u00cb O\u2019HARA (Q)", NAME),
        ("zoe o&#39;hara q", NAME),
        ("/?q=Zo%C3%AB+O%27Hara+%22Q%22", NAME),
        ("/?q=zo%c3%ab%20o%27hara%20%22q%22", NAME),
        ("Mariana  Fernandez", NAME),
        ("Mariana\u00a0Fernandez", NAME),
        (r"Mariana\nFernandez", NAME),
        ("/?q=Mariana%2520Fernandez", NAME),
        ("Mari\u00adana Fer\u00adnandez", NAME),
        ("MarianaFernandez", NAME),
        ("Fernandez, Mariana", NAME),
        ("Fernandez's basket", SURNAME),
        ("Welcome Jo Li!", NAME),
        ("/welcome?Jo+Li", NAME),
        ("Li, Jo", NAME),
        ("S\u00d8REN \u00c5NGSTR\u00d6M", NAME),
        (unicodedata.normalize("NFD", "s\u00f8ren \u00e5ngstr\u00f6m"), NAME),
        ("/?q=%C3%85ngstr%C3%B6m", SURNAME),
        ("\u6b22\u8fce\u738b\u5c0f\u660e\u56de\u6765", NAME),
        ("Ann Baker", NAME),
        ("Teo Basket", NAME),
        ("Jan%20Button", NAME),
        ("Ann (Baker)", NAME),
        ("Ann\u2009\u3000 Baker", NAME),
        ("ann%0Abaker", NAME),
        ("Ann&#32;&ensp;Baker", NAME),
        ("Ann" + " " * 20 + "Baker", NAME),
        ("\u2068Ann\u2069 \u2068Baker\u2069", NAME),
        ("Ann\u2011Baker", NAME),
        ("\uff21nn \uff22aker", NAME),
        ("Jo   Li", NAME),
        ("Tom Fox came by", NAME),
        ("Eva Rey came by", NAME),
        ("OLA WALESA", NAME),
        ("\u738b \u5c0f\u660e", NAME),
        ("it was Too slow here.", COMMENT),
        ("/?q=Too+slow+here", COMMENT),
    ],
)
def test_found(text: str, kind: str, when: str) -> None:
    with pytest.raises(Leak) as leak:
        CANARIES[when].check(["fine", f"fine\n{text}\nfine"], ["first", "second"])
    assert leak.value.message.startswith(f"The bundle would hold {kind} (in second)")


@pytest.mark.parametrize("when", CANARIES)
@pytest.mark.parametrize(
    "text",
    [
        "too slow here",
        "TOO SLOW HERE",
        "Bob Annotator",
        "bob.annotator at example.org",
        "P2-toyshop-buy-tea-clean-r1-cold",
        '{"text":"Jo","tag":"li"}',
        "joli, Jo. Lift",
        "Mariana",
        "the baker's basket",
        "angstroms",
        '{"tag":"button","type":"click"}',
        "",
    ],
)
def test_nothing_to_find(text: str, when: str) -> None:
    CANARIES[when].check([text], ["first"])


def test_what_is_known_of_somebody_present_is_not_kept_twice() -> None:
    assert People(PRESENT, GONE).former == {}
