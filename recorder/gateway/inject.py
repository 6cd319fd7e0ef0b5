"""Puts one element first into a document of HTML or XML while it streams by. Pure, and on bytes: the charset stays as it is.

The element goes right after `<head>` where there is one, else after `<html>`, else after the doctype, so that the page's
mode (quirks or not), its attributes and its tree stay what they were. In XML it goes first into the root, or into its `<head>`.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

SPACE = b"\t\n\x0c\r "
MAX_HELD = 1024 * 1024  # a prologue longer than this is no prologue
PRESCAN = 1024  # where browsers stop looking for <meta charset>
BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
META_CHARSET = re.compile(rb"""<meta[^>]*?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.IGNORECASE)
Place = Callable[
    [bytes], int | None
]  # where the element goes in what has come so far; -1 where nowhere, None while it cannot be told


class Injector:
    """Feed it a document's bytes piece by piece; it holds back only what stands before the place of the element."""

    def __init__(self, element: str, *, charset: str | None = None, find: Place | None = None) -> None:
        self.element = element
        self.charset = (charset or "").lower()
        self.find = find or html_place
        self.held = b""
        self.done = False
        self.put = False  # whether the element is in

    def feed(self, data: bytes) -> bytes:
        """What can go out now."""
        if self.done:
            return data
        self.held += data
        if len(self.held) < 4 and not self.charset.startswith("utf-16"):
            return b""  # a byte order mark may still come
        if self.place() is None and len(self.held) <= MAX_HELD:
            return b""
        return self.finish()

    def end(self) -> bytes:
        """The rest, at the document's end."""
        if self.done:
            return b""
        return self.finish()

    def finish(self) -> bytes:
        """The held bytes, with the element where it does least harm; broken XML is left alone, or it would break more."""
        place = self.place(ended=True)
        if place is None or place < 0:
            out, self.held, self.done = self.held, b"", True
            return out
        return self.insert(place)

    def place(self, *, ended: bool = False) -> int | None:
        """Byte offset at which the element goes, or None while that cannot be told."""
        bom, encoding = self.encoding()
        text, width = self.held[bom:], 1
        if encoding.startswith("utf-16"):
            text, width = units(text, big=encoding.endswith("be")), 2
        found = self.find(text)
        if found is None and ended:
            found = last_place(text) if self.find is html_place else -1
        if found == -1:
            return -1
        return None if found is None else bom + found * width

    def encoding(self) -> tuple[int, str]:
        """Length of the byte order mark, and the encoding: the mark's, else the header's."""
        for mark, name in BOMS:
            if self.held.startswith(mark):
                return len(mark), name
        return 0, {"utf-16": "utf-16-le", "utf16": "utf-16-le", "unicode": "utf-16-le"}.get(self.charset, self.charset)

    def insert(self, place: int) -> bytes:
        """The held bytes with the element at `place`."""
        _, encoding = self.encoding()
        element = self.element.encode(encoding if encoding.startswith("utf-16") else "ascii")
        out, self.held, self.done = self.held[:place] + element + self.held[place:], b"", True
        self.put = True
        return out


def pushed_charset(head: bytes, added: int) -> str | None:
    """The charset of a `<meta>` that an element of `added` bytes, already in `head`, pushed out of the browser's sight."""
    found = META_CHARSET.search(head[: PRESCAN + added])
    return found.group(1).decode("ascii") if found and found.end() >= PRESCAN else None


def units(data: bytes, *, big: bool) -> bytes:
    """UTF-16 as one byte per code unit: ASCII as itself, anything else as `?`."""
    high, low = (data[0::2], data[1::2]) if big else (data[1::2], data[0::2])
    return bytes(lo if hi == 0 and lo < 128 else 0x3F for hi, lo in zip(high, low, strict=False))


DOCTYPE = re.compile(rb"\s*<!doctype[^>]*>", re.IGNORECASE)


def last_place(text: bytes) -> int:
    """Where the element goes in a document that ends before its first element: after its doctype, if it has one."""
    found = DOCTYPE.match(text)
    return found.end() if found else 0


def html_place(text: bytes) -> int | None:
    """Offset for the element in an HTML document, or None where more has to be read."""
    at = after_misc(text, 0)
    for name in (b"html", b"head"):
        if at is None:
            return None
        inside = after_tag(text, at, name)
        if inside is None:
            return None
        if inside == at:
            if name == b"head":
                return at
            continue
        if name == b"head":
            return inside
        at = after_misc(text, inside)
    return at


def after_misc(text: bytes, at: int) -> int | None:
    """Offset after white space, comments, processing instructions and doctypes; None where one of them is still open."""
    while True:
        while at < len(text) and text[at] in SPACE:
            at += 1
        if at >= len(text):
            return None
        if text[at : at + 1] != b"<":
            return at
        following = text[at + 1 : at + 2]
        if not following:
            return None
        if following not in b"!?":
            return at
        end = after_declaration(text, at)
        if end is None:
            return None
        at = end


def after_declaration(text: bytes, at: int) -> int | None:
    """Offset after `<!…>`, `<?…>` or a comment that begins at `at`; None where it is not closed yet."""
    if text.startswith(b"<!--", at):
        if text.startswith(b"<!-->", at):
            return at + 5
        if text.startswith(b"<!--->", at):
            return at + 6
        ends = [(found, mark) for mark in (b"-->", b"--!>") if (found := text.find(mark, at + 4)) >= 0]
        return min(ends)[0] + len(min(ends)[1]) if ends else None
    if b"<!--".startswith(text[at : at + 4]):
        return None  # too little to tell a comment from a declaration
    end = text.find(b">", at)
    return end + 1 if end >= 0 else None


def after_tag(text: bytes, at: int, name: bytes) -> int | None:
    """Offset after the start tag `name` if one begins at `at`, else `at`; None where more has to be read."""
    start = text[at : at + len(name) + 2].lower()
    wanted = b"<" + name
    if not start.startswith(wanted[: len(start)]):
        return at
    if len(start) < len(wanted) + 1:
        return None
    if start[len(wanted) :][:1] not in SPACE + b"/>":
        return at
    return tag_end(text, at + len(wanted))


def tag_end(text: bytes, at: int) -> int | None:
    """Offset after the `>` that closes a tag, quotes in attribute values minded."""
    before_value = False
    while at < len(text):
        byte = text[at : at + 1]
        if byte == b">":
            return at + 1
        if byte in b"\"'" and before_value:
            closing = text.find(byte, at + 1)
            if closing < 0:
                return None
            at, before_value = closing + 1, False
            continue
        if byte == b"=":
            before_value = True
        elif byte not in b"\t\n\x0c\r ":
            before_value = False
        at += 1
    return None


ROOT = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)")
XML_HEAD = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?head(?=[\s/>])")
NAMESPACES = (
    b"http://www.w3.org/1999/xhtml",
    b"http://www.w3.org/2000/svg",
)  # of elements that browsers show as a page
NAME_OPEN = re.compile(rb"<[\w:.-]*\Z")


def xml_page_place(text: bytes) -> int | None:
    """As `xml_place`, in a document of any XML: nowhere where it is no page but data, of which browsers show the tree."""
    root = xml_root(text)
    if root is None:
        return None
    return xml_place(text) if any(name in text[slice(*root)] for name in NAMESPACES) else -1


def xml_root(text: bytes) -> tuple[int, int] | None:
    """From where to where the start tag of an XML document's root goes; None where more has to be read."""
    at = after_xml_misc(text, 0)
    if at is None or NAME_OPEN.match(text, at) or not ROOT.match(text, at):
        return None
    end = tag_end(text, at + 1)
    return None if end is None else (at, end)


def xml_place(text: bytes) -> int | None:
    """Offset for the element in an XML document: in its `<head>`, else first in its root; None where more has to be read.

    An element that closes itself has no inside; a document that is only that is left without.
    """
    root = xml_root(text)
    if root is None:
        return None
    inside = root[1]
    if text[inside - 2 : inside] == b"/>":
        return None
    head_at = after_xml_misc(text, inside)
    if head_at is None or NAME_OPEN.match(text, head_at):
        return None
    found = XML_HEAD.match(text, head_at)
    if found is None:
        return inside
    end = tag_end(text, found.end())
    if end is None:
        return None
    return inside if text[end - 2 : end] == b"/>" else end


def after_xml_misc(text: bytes, at: int) -> int | None:
    """Like `after_misc`, by XML's rules: a doctype may hold an internal subset in brackets."""
    while True:
        while at < len(text) and text[at] in SPACE:
            at += 1
        if at + 1 >= len(text):
            return None
        if text[at + 1 : at + 2] not in (b"!", b"?"):
            return at
        if text.startswith(b"<!DOCTYPE", at) and (b"[" in text[at : text.find(b">", at) + 1 or len(text)]):
            found = re.compile(rb"\]\s*>").search(text, at)
            end = found.end() if found else None
        else:
            closing = b"-->" if text.startswith(b"<!--", at) else b"?>" if text.startswith(b"<?", at) else b">"
            place = text.find(closing, at)
            end = place + len(closing) if place >= 0 else None
        if end is None:
            return None
        at = end
