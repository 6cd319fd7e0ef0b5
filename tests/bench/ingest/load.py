"""Many pages that record: each posts what the worker posts, in a process of its own so that its cost is not the server's."""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import aiohttp


async def page(
    session: aiohttp.ClientSession,
    url: str,
    host: str,
    seed: int,
    posts: list[tuple[int, bytes]],
    plan: dict[str, Any],
    until: float,
    out: dict[str, Any],
) -> None:
    """Post until the time, or all there is, is over: one post each `every` seconds, or the next at once where that is 0."""
    if plan["every"]:
        await asyncio.sleep(random.Random(seed).uniform(0, plan["every"]))
    due = time.monotonic()
    headers = {"Host": host, "Content-Type": "application/x-ndjson", "Content-Encoding": "deflate"}
    for many, body in posts:
        if time.monotonic() >= until:
            return
        while True:
            begun = time.perf_counter()
            async with session.post(url, data=body, headers=headers) as reply:
                told = await reply.text()
            took = (time.perf_counter() - begun) * 1000
            if reply.status == 200:
                break
            if reply.status != 503:
                raise RuntimeError(f"{reply.status}: {told}")
            out["turned_away"] += 1
            await asyncio.sleep(0.25)
        out["ms"].append(took)
        out["events"] += many
        out["bytes"] += len(body)
        due += plan["every"]
        if plan["every"]:
            await asyncio.sleep(max(0.0, due - time.monotonic()))


def read_posts(path: Path) -> list[tuple[int, bytes]]:
    """(events, body) of a page's posts, from lines of JSON."""
    told = map(json.loads, path.read_text().splitlines())
    return [(many, bytes.fromhex(body)) for many, body in told]


async def drive(plan: dict[str, Any]) -> dict[str, Any]:
    """Run the plan: `keys`, `port`, `seconds`, `every`, `posts` (a file of them), `at_once`.

    Every page posts the same: what one recording holds is nothing to another.
    """
    out: dict[str, Any] = {"ms": [], "events": 0, "bytes": 0, "turned_away": 0}
    connector = aiohttp.TCPConnector(limit=plan["at_once"])
    posts = read_posts(Path(plan["posts"]))
    begun = time.monotonic()
    async with aiohttp.ClientSession(connector=connector) as session:
        url = f"http://127.0.0.1:{plan['port']}/__footpath__/events"
        pages = [
            page(session, url, f"{key}.env.localhost", seed, posts, plan, begun + plan["seconds"], out)
            for seed, key in enumerate(plan["keys"])
        ]
        await asyncio.gather(*pages)
    return out | {"seconds": time.monotonic() - begun}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(drive(json.load(sys.stdin)))))
