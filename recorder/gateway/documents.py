"""Which requests load documents and which replies are some, and what has to be said of those. Pure."""

from __future__ import annotations

from email.message import Message as MailMessage
from typing import Any

from recorder.gateway.headers import Pairs, first
from recorder.gateway.inject import Place, pushed_charset, xml_page_place, xml_place
from recorder.models import UNSEEN

HTML = "text/html"
XML: dict[str, Place] = {
    "application/xhtml+xml": xml_place,
    "image/svg+xml": xml_page_place,
    "text/xml": xml_page_place,
    "application/xml": xml_page_place,
}
RECORDED = frozenset({HTML, *XML})
FRAMES = frozenset({b"document", b"iframe", b"frame", b"embed", b"object", b"fencedframe"})
BODILESS = frozenset({204, 205, 304})


def is_document_load(pairs: Pairs) -> bool:
    """True where the browser loads a document (a page, a frame) or fetches one ahead, not where a script reads HTML."""
    destination = first(pairs, b"sec-fetch-dest")
    if b"prefetch" in (first(pairs, b"sec-purpose") or first(pairs, b"purpose") or b""):
        return True
    if destination is not None:
        return destination in FRAMES
    accepts_html = (first(pairs, b"accept") or b"").lstrip().startswith(b"text/html")
    return accepts_html and first(pairs, b"x-requested-with") is None


def is_page(pairs: Pairs) -> bool:
    """True where the browser loads a tab's or a frame's document now, not a picture for `<object>` nor a page ahead."""
    ahead = first(pairs, b"sec-purpose") or first(pairs, b"purpose") or b""
    return first(pairs, b"sec-fetch-dest") not in (b"embed", b"object") and b"prefetch" not in ahead


def is_whole(status: int, pairs: Pairs) -> bool:
    """True for a reply with a whole document that a browser shows and does not save."""
    attachment = (first(pairs, b"content-disposition") or b"").strip().lower().startswith(b"attachment")
    return status not in BODILESS and status != 206 and not 300 <= status < 400 and not attachment


def other_kind(kind: str) -> str:
    """What the log says of a document that takes no recorder."""
    return f"{UNSEEN}: a document of type {kind}" if kind else f"{UNSEEN}: a document without a type"


def unseen(pairs: Pairs, encoding: str) -> str:
    """Why the recorder cannot run in a document that goes to the browser, or ''."""
    if encoding:
        return f"{UNSEEN}: the document is encoded as {encoding}"
    policies = ";".join(value.decode("latin-1").lower() for name, value in pairs if name == b"content-security-policy")
    for directive in policies.replace(",", ";").split(";"):
        if (words := directive.split()) and words[0] == "sandbox" and "allow-scripts" not in words:
            return f"{UNSEEN}: the page's policy forbids all scripts"
    return ""


def content_type(pairs: Pairs) -> tuple[str, str]:
    """Media type and charset, lower case; '' where not told."""
    value = first(pairs, b"content-type")
    if value is None:
        return "", ""
    message = MailMessage()
    message["content-type"] = value.decode("latin-1")
    charset: Any = message.get_param("charset") or ""
    kind = value.split(b";")[0].strip().lower().decode("latin-1")
    return kind, charset.lower() if isinstance(charset, str) else ""


def is_json(kind: str) -> bool:
    return kind == "application/json" or kind.endswith("+json")


def with_vary(pairs: Pairs) -> Pairs:
    """The same address read by a script is another text than loaded as a document: caches must keep both."""
    return [*pairs, (b"vary", b"Sec-Fetch-Dest")]


def with_charset(pairs: Pairs, head: bytes, added: int) -> Pairs:
    """Name the charset in the header where the element would push the `<meta>` that names it out of the browser's sight."""
    charset = pushed_charset(head, added)
    if charset is None:
        return pairs
    return [(n, v + b"; charset=" + charset.encode() if n == b"content-type" else v) for n, v in pairs]
