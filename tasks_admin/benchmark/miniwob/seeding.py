"""The state that ``Math.seedrandom(seed)`` begins with, so that a page can begin with it and not know the seed.

The library that MiniWoB++ ships (seedrandom 2, of David Bau) keys RC4 with the seed's text and throws 256 bytes away.
"""

from __future__ import annotations

from typing import Any

WIDTH = 256


def state_of(seed: int) -> dict[str, Any]:
    """{i, j, S} as the library's option ``state`` takes it, for a seed given to it as a number."""
    key = [ord(sign) for sign in f"{seed}\0"]
    box = list(range(WIDTH))
    j = 0
    for i in range(WIDTH):
        j = (j + key[i % len(key)] + box[i]) % WIDTH
        box[i], box[j] = box[j], box[i]
    i = j = 0
    for _ in range(WIDTH):
        i = (i + 1) % WIDTH
        j = (j + box[i]) % WIDTH
        box[i], box[j] = box[j], box[i]
    return {"i": i, "j": j, "S": box}
