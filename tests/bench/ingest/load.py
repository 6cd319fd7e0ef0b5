"""Many pages that record: each posts as the injected script does, in a process of its own so that its cost is not the server's."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

import aiohttp

WORDS = [
    f"{word}{mark}" for word in ("quick", "brown", "fox", "jumps", "over", "lazy", "dogs") for mark in ("", "s", ",")
]
KINDS = ("mousemove", "mousemove", "mousemove", "keydown", "input", "click", "scroll", "focus")


def line(doc: str, n: int, p: float, dice: random.Random) -> str:
    """One event of 400 to 700 bytes, of the kinds and in the shape that pages send."""
    kind = dice.choice(KINDS)
    row = dice.randrange(400)
    words = " ".join(dice.choices(WORDS, k=dice.randrange(6, 30)))
    target = {
        "xpath": f"/html/body/main/section[2]/div/table/tbody/tr[{row}]/td[4]/button",
        "css": f"#orders > tbody > tr:nth-of-type({row}) > td:nth-of-type(4) > button.btn",
        "role": "button",
        "name": words[:60],
        "tag": "button",
        "text": words[:80],
        "box": [412, row * 24, 96, 22],
        "matches": {"css": 1, "xpath": 1, "role": 2},
    }
    own: dict[str, Any] = {
        "mousemove": {"x": row, "y": row, "effect": "hover"},
        "keydown": {"key": "a", "code": "KeyA", "modifiers": [], "repeat": False},
        "input": {"value": words, "inputType": "insertText", "data": "a", "before": words[:-1]},
        "click": {"x": row, "y": row, "button": 0, "detail": 1, "by": "pointer", "gesture": n},
        "scroll": {"dx": 0, "dy": 120, "top": 120, "left": 0},
        "focus": {},
    }[kind]
    event = {"doc": doc, "n": n, "p": round(p, 1), "type": kind, "origin": "user", "target": target} | own
    return json.dumps(event, separators=(",", ":"))


def bodies(doc: str, seed: int, events: tuple[int, int]) -> Iterator[tuple[int, bytes]]:
    """(events, body) of one page's posts, for ever. The lines are made once and then numbered anew."""
    return endless(doc, random.Random(seed), pool_of(doc, seed), events)


def pool_of(doc: str, seed: int) -> list[str]:
    """Lines of one page with places for their numbers and times."""
    dice = random.Random(seed)
    pool = [line(doc, 0, 0.0, dice).replace('"n":0,"p":0.0', '"n":%d,"p":%.1f') for _ in range(200)]
    return [text.replace("%", "%%").replace("%%d", "%d").replace("%%.1f", "%.1f") for text in pool]


def endless(doc: str, dice: random.Random, pool: list[str], events: tuple[int, int]) -> Iterator[tuple[int, bytes]]:
    begun, n = time.monotonic(), 0
    for _ in itertools.count():
        many = dice.randint(*events)
        now = (time.monotonic() - begun) * 1000
        lines = [pool[(n + i) % 200] % (n + i, now) for i in range(many)]
        n += many
        entry = {
            "doc": doc,
            "tab": {"keys": ["2f1c0b8e-9a7d-4e1c-8d55-1f6b1f0f9f11"]},
            "frame": "",
            "last": n - 1,
            "meta": {
                "url": "http://shop.example/orders?page=2",
                "title": "Orders",
                "referrer": "",
                "ua": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
                "opened": 3.2,
                "time_origin": 1.7e12,
                "scroll": [],
                "viewport": [1280, 800],
                "dpr": 1,
                "zoom": 1,
            },
        }
        head = json.dumps({"v": 1, "sent": round(now, 1), "rtt": 3.1, "docs": [entry]})
        yield many, ("\n".join([head, *lines]) + "\n").encode()


async def page(
    session: aiohttp.ClientSession,
    url: str,
    host: str,
    seed: int,
    source: Iterator[tuple[int, bytes]],
    plan: dict[str, Any],
    until: float,
    out: dict[str, Any],
) -> None:
    """Post until the time is over: one post each `every` seconds, or the next at once where that is 0."""
    if plan["every"]:
        await asyncio.sleep(random.Random(seed).uniform(0, plan["every"]))
    due = time.monotonic()
    while time.monotonic() < until:
        many, body = next(source)
        while True:
            begun = time.perf_counter()
            async with session.post(
                url, data=body, headers={"Host": host, "Content-Type": "application/x-ndjson"}
            ) as reply:
                await reply.read()
            took = (time.perf_counter() - begun) * 1000
            if reply.status == 200:
                break
            out["turned_away"] += 1
            await asyncio.sleep(0.25)
        out["ms"].append(took)
        out["events"] += many
        out["bytes"] += len(body)
        due += plan["every"]
        if plan["every"]:
            await asyncio.sleep(max(0.0, due - time.monotonic()))


async def drive(plan: dict[str, Any]) -> dict[str, Any]:
    """Run the plan: `keys`, `port`, `seconds`, `every`, `events` [from, to], `at_once`."""
    out: dict[str, Any] = {"ms": [], "events": 0, "bytes": 0, "turned_away": 0}
    connector = aiohttp.TCPConnector(limit=plan["at_once"])
    seeds = range(plan["seed"], plan["seed"] + len(plan["keys"]))
    sources = [bodies(f"page{seed:018d}", seed, tuple(plan["events"])) for seed in seeds]
    begun = time.monotonic()
    async with aiohttp.ClientSession(connector=connector) as session:
        url = f"http://127.0.0.1:{plan['port']}/__footpath__/events"
        pages = [
            page(session, url, f"{key}.env.localhost", seed, source, plan, begun + plan["seconds"], out)
            for seed, key, source in zip(seeds, plan["keys"], sources, strict=True)
        ]
        await asyncio.gather(*pages)
    return out | {"seconds": time.monotonic() - begun}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(drive(json.load(sys.stdin)))))
