"""Reads compressed replies piece by piece, in bounded memory. Pure."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Protocol

import brotli

PIECE = 256 * 1024


class Decoder(Protocol):
    """Turns encoded bytes into plain ones."""

    def feed(self, data: bytes) -> Iterator[bytes]: ...


class Plain:
    """Bytes that are not encoded."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data


class Deflate:
    """gzip (several members too), zlib, and the bare deflate that some servers send. Raises zlib.error on broken data."""

    def __init__(self) -> None:
        self.inner = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self.begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data:
            yield self.once(data)
            data = self.inner.unconsumed_tail
            if self.inner.eof:
                data = self.inner.unused_data
                self.inner = zlib.decompressobj(zlib.MAX_WBITS | 32)
                self.begun = False
                if not data.startswith(b"\x1f\x8b"):
                    return  # padding after the last member

    def once(self, data: bytes) -> bytes:
        try:
            out = self.inner.decompress(data, PIECE)
        except zlib.error:
            if self.begun:
                raise
            self.inner = zlib.decompressobj(-zlib.MAX_WBITS)
            out = self.inner.decompress(data, PIECE)
        self.begun = True
        return out


class Brotli:
    """Brotli. Raises brotli.error on broken data."""

    def __init__(self) -> None:
        self.inner = brotli.Decompressor()

    def feed(self, data: bytes) -> Iterator[bytes]:
        yield self.inner.process(data, output_buffer_limit=PIECE)
        while not self.inner.can_accept_more_data():
            yield self.inner.process(b"", output_buffer_limit=PIECE)


ERRORS = (zlib.error, brotli.error)
KINDS: dict[str, type[Plain] | type[Deflate] | type[Brotli]] = {
    "": Plain,
    "identity": Plain,
    "gzip": Deflate,
    "x-gzip": Deflate,
    "deflate": Deflate,
    "br": Brotli,
}


def decoder(encoding: str) -> Decoder | None:
    """A decoder for a Content-Encoding, or None where it cannot be read here."""
    kind = KINDS.get(encoding.strip().lower())
    return kind() if kind else None


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
