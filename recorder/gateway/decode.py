"""Reads compressed replies piece by piece, in bounded memory. Pure."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, Protocol

import brotli

PIECE = 256 * 1024
GZIP = b"\x1f\x8b"


class Decoder(Protocol):
    """Turns encoded bytes into plain ones."""

    def feed(self, data: bytes) -> Iterator[bytes]: ...


class Plain:
    """Bytes that are not encoded."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data


class Deflate:
    """gzip (several members too), zlib, and the bare deflate that some servers send; what follows the last member is dropped,
    as browsers do. Raises zlib.error on broken data."""

    def __init__(self) -> None:
        self.inner: Any = None  # zlib's, of the member at hand
        self.held = b""  # too little to tell what begins here
        self.ended = self.over = False  # a member has ended; nothing follows that is one

    def feed(self, data: bytes) -> Iterator[bytes]:
        data, self.held, more = self.held + data, b"", False
        while (data or more) and (self.inner or self.begin(data)):
            out = self.inner.decompress(data, PIECE)
            yield out
            data, more = self.inner.unconsumed_tail, len(out) == PIECE
            if self.inner.eof:
                data, more, self.inner, self.ended = self.inner.unused_data, False, None, True

    def begin(self, data: bytes) -> bool:
        """True where a member begins with `data`."""
        if len(data) < len(GZIP):
            self.held = data
            return False
        self.over = self.over or self.ended and not data.startswith(GZIP)
        if not self.over:
            self.inner = zlib.decompressobj(window_bits(data))
        return not self.over


def window_bits(data: bytes) -> int:
    """zlib's number for the format that begins with these bytes. Source: RFC 1950, section 2.2; RFC 1952, section 2.3.1."""
    if data.startswith(GZIP):
        return zlib.MAX_WBITS | 16
    wrapped = data[0] & 0x0F == zlib.DEFLATED and int.from_bytes(data[:2], "big") % 31 == 0
    return zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS


class Brotli:
    """Brotli. Raises brotli.error on broken data."""

    def __init__(self) -> None:
        self.inner = brotli.Decompressor()

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self.inner.is_finished():
            return
        yield self.inner.process(data, output_buffer_limit=PIECE)
        while not self.inner.can_accept_more_data():
            yield self.inner.process(b"", output_buffer_limit=PIECE)


class Chain:
    """What one decoder gives, read by another."""

    def __init__(self, outer: Decoder, inner: Decoder) -> None:
        self.outer, self.inner = outer, inner

    def feed(self, data: bytes) -> Iterator[bytes]:
        for piece in self.outer.feed(data):
            yield from self.inner.feed(piece)


ERRORS = (zlib.error, brotli.error)
KINDS: dict[str, type[Plain] | type[Deflate] | type[Brotli]] = {
    "identity": Plain,
    "gzip": Deflate,
    "x-gzip": Deflate,
    "deflate": Deflate,
    "br": Brotli,
}
BROWSERS_OWN = frozenset({"zstd", "dcb", "dcz"})  # which browsers read and we do not


def decoder(encoding: str) -> Decoder | None:
    """A decoder for a Content-Encoding, or None where it cannot be read here.

    With a name in it that means nothing to browsers either (`utf-8`, `none`) they take the body as it is, and so do we.
    """
    names = [name for part in encoding.split(",") if (name := part.strip().lower())]
    if not BROWSERS_OWN.isdisjoint(names):
        return None
    reader: Decoder = Plain()
    for name in names if KINDS.keys() >= set(names) else ():  # in the order in which they were applied
        reader = Chain(KINDS[name](), reader)
    return reader


def small_plain(data: bytes, encoding: str, limit: int) -> bytes | None:
    """All of a small body decoded, or None where it is broken, unreadable or larger than `limit`."""
    reader, out = decoder(encoding), bytearray()
    if reader is None:
        return None
    try:
        for piece in reader.feed(data):
            out += piece
            if len(out) > limit:
                return None
    except ERRORS:
        return None
    return bytes(out)
