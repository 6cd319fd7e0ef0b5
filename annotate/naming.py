"""How people are called, as words: so that a name or an address is known again however a text writes it.

A text is folded first: what JSON, an address or HTML writes in signs is read, accents, capitals, apostrophes and invisible signs go.
"""

from __future__ import annotations

import hashlib
import hmac
import html
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

from django.conf import settings

ADDRESS, NAME, SURNAME = "a person's e-mail address", "a person's name", "a person's surname"
GLUED_FROM = 8  # letters of a name that is also looked for without a space in it
SURNAME_FROM = 5  # letters of a surname that is looked for alone
FEWEST = 4  # letters of a whole name
SCRIPTS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"  # whose words have no space between them: each sign is a word
WORD = re.compile(rf"[{SCRIPTS}]|(?:(?![{SCRIPTS}])[^\W_])+")
_SIGN = re.compile(f"[{SCRIPTS}]")
WITHIN = frozenset(' +,.-_@"()\u2010\u2013')  # between the words of a name or an address
WIDEST = 4  # signs between two words of a name
INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufe0f\ufeff"
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_SPACES = dict.fromkeys("nrtbf", " ")
UNSEEN = INVISIBLE + "\u0300-\u036f"  # as a class of an expression has them, accents too
APOSTROPHES = "'`\u00b4\u02bc\u2018\u2019"
_WHOLE_SIGNS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe"}
)  # never taken apart
_SPACE = re.compile(r"\s+")
_UNSEEN = re.compile(f"[{UNSEEN}]")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_APOSTROPHES = re.compile(f"[{APOSTROPHES}]")
_COMMON = """
abbot account admin annotator anonymous archer baker bishop black blank brook brooks brown butcher butler button buttons
carpenter carter chance change church clark clerk click coffee content cross draper early english event events example
field fields fisher fletcher flowers focus forest foster frame fresh friend garden gardener glass grand grant green
guest house hover hunter image input judge knight label labels large layer leader little lover major marsh martin mason
meadow media member miller money moore mouse nobody north nurse origin owner paint palmer parent parker parks party
paste peace penny people person pilot piper pitch plant pointer porter potter power press price prince proper queen
query quick reader rider river rivers robin roman royal sales salmon sample scroll select shepherd shift shore short
silver singer skinner small smart smith somebody south space spring stone storm story street strong student study submit
summer sweet table tailor target taylor teacher tester thatcher title touch tower turner value verify viewer walker
water waters weaver wells wheel wheeler white wilder winter woods words world worth write xpath young
"""
COMMON = frozenset(_COMMON.split())  # surnames that a website, or a trace, may well say without meaning anybody


def folded(text: str) -> str:
    """The text as names are compared."""
    for _ in range(2):  # an address within a document within JSON
        text = html.unescape(unquote(_ESCAPED.sub(_read, text)))
    text = _UNSEEN.sub("", unicodedata.normalize("NFKD", text))
    text = _SPACE.sub(" ", unicodedata.normalize("NFC", text).casefold().translate(_WHOLE_SIGNS))
    return _APOSTROPHES.sub("", _POSSESSIVE.sub(" s", text))


def _read(hit: re.Match[str]) -> str:
    sign = hit[1]
    return chr(int(sign[1:], 16)) if len(sign) > 1 else _SPACES.get(sign, sign)


def words_of(text: str) -> list[str]:
    """The words of a name or an address, folded."""
    return WORD.findall(folded(text))


def ways(name: str, email: str = "") -> dict[str, str]:
    """{words, one space between them: what they tell} of all ways in which a person is looked for."""
    told = {" ".join(words_of(email)): ADDRESS} if "@" in email else {}
    parts = words_of(name)
    if len(parts) > 1 and (len("".join(parts)) >= FEWEST or len(parts) > 2):
        told |= dict.fromkeys(_whole(parts), NAME)
    if is_telling(name):
        told[parts[-1]] = SURNAME if len(parts) > 1 else NAME
    return told


def _whole(parts: list[str]) -> Iterator[str]:
    yield " ".join(parts)
    if all(part.isalpha() and not _SIGN.fullmatch(part) for part in parts):
        yield " ".join([parts[-1], *parts[:-1]])
        yield f"{parts[0]} {parts[-1]}"
        if len("".join(parts)) >= GLUED_FROM:
            yield "".join(parts)


def is_telling(name: str) -> bool:
    """True where the name's last word alone tells who is meant: it is long enough, and no word that websites say anyway."""
    last = words_of(name)[-1:]
    return bool(last) and last[0].isalpha() and len(last[0]) >= SURNAME_FROM and last[0] not in COMMON


def windows(text: str, longest: int) -> Iterator[str]:
    """Every run of one word and more, up to `longest`, of the text that may be one name: one space between its words."""
    found = folded(text)
    last: list[str] = []
    end = 0
    for hit in WORD.finditer(found):
        gap = found[end : hit.start()]
        if len(gap) > WIDEST or not WITHIN.issuperset(gap):
            last = []
        last = [*last[1 - longest :], hit[0]] if longest > 1 else [hit[0]]
        end = hit.end()
        for many in range(1, len(last) + 1):
            yield " ".join(last[-many:])


def digest(words: str) -> str:
    """A hash of these words that nobody can make, or try names against, without the installation's secret."""
    return _salted(words)


def key_sign() -> str:
    """By which secret digests are made now, in short."""
    return _salted("")[:8]


def _salted(words: str) -> str:
    key = hashlib.sha256(f"footpath.former-names{settings.SECRET_KEY}".encode()).digest()
    return hmac.digest(key, words.encode(), "sha256").hex()
