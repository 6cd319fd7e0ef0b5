"""Reading compressed replies: whatever they are packed with, and however they are cut."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest

from recorder.gateway.decode import ERRORS, PIECE, decoder

TEXT = b"<!doctype html>" + bytes(range(256)) * 40


def read(encoding: str, data: bytes, cut: int) -> bytes:
    reader = decoder(encoding)
    assert reader is not None
    return b"".join(piece for at in range(0, len(data), cut) for piece in reader.feed(data[at : at + cut]))


def bare(data: bytes) -> bytes:
    return zlib.compress(data)[2:-4]


PACKED: dict[str, tuple[str, bytes]] = {
    "plain": ("", TEXT),
    "gzip": ("gzip", gzip.compress(TEXT)),
    "old name": ("X-GZip", gzip.compress(TEXT)),
    "two members": ("gzip", gzip.compress(TEXT[:99]) + gzip.compress(TEXT[99:])),
    "an empty member first": ("gzip", gzip.compress(b"") + gzip.compress(TEXT)),
    "what follows is no member": ("gzip", gzip.compress(TEXT) + b"\0" * 20 + gzip.compress(b"x")),
    "a byte follows": ("gzip", gzip.compress(TEXT) + b"\x1f"),
    "zlib": ("deflate", zlib.compress(TEXT)),
    "stored": ("deflate", zlib.compress(TEXT, 0)),
    "bare deflate": ("deflate", bare(TEXT)),
    "bare and more": ("deflate", bare(TEXT) + b"more"),
    "brotli": ("br", brotli.compress(TEXT)),
    "twice": ("gzip, gzip", gzip.compress(gzip.compress(TEXT))),
    "brotli over gzip": ("gzip,br", brotli.compress(gzip.compress(TEXT))),
    "a name that is none": ("utf-8", TEXT),
}


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("cut", [1, 2, 7, 100_000])
def test_packed(name: str, cut: int) -> None:
    assert read(*PACKED[name], cut) == TEXT


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, bare])
@pytest.mark.parametrize("size", [PIECE - 1, PIECE, PIECE + 1, 40 * PIECE])
def test_much_in_little_comes_whole_in_small_pieces(pack: Callable[[bytes], bytes], size: int) -> None:
    reader = decoder("deflate")
    assert reader is not None
    sizes = [len(piece) for piece in reader.feed(pack(b"x" * size))]
    assert sum(sizes) == size
    assert max(sizes) <= PIECE


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
def test_a_body_that_breaks_off_is_read_as_far_as_it_came(encoding: str) -> None:
    packed = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress}[encoding](TEXT)
    got = read(encoding, packed[: len(packed) * 2 // 3], 50)
    assert got
    assert TEXT.startswith(got)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "gzip, br"])
def test_what_is_not_packed_at_all_is_broken(encoding: str) -> None:
    with pytest.raises(ERRORS):
        read(encoding, TEXT, 1000)


@pytest.mark.parametrize("encoding", ["zstd", "gzip, zstd", "dcb"])
def test_what_only_browsers_read(encoding: str) -> None:
    assert decoder(encoding) is None
