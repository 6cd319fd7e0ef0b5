"""What one page posts: events as pages make them, and the bodies that the recorder's own worker writes of them."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from recorder.browser import launch_options
from tests.shorthand_js import SHORTHAND

DOC = "page000000000000000000"
WORDS = [
    f"{word}{mark}" for word in ("quick", "brown", "fox", "jumps", "over", "lazy", "dogs") for mark in ("", "s", ",")
]
EVERY_MS = 25
META = {
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
}
ENTRY = {"doc": DOC, "tab": {"keys": ["2f1c0b8e-9a7d-4e1c-8d55-1f6b1f0f9f11"]}, "frame": "", "meta": META}
WRITE = """([doc, entry, posts]) => {
  const { shorthand, remember } = SHORTHAND(doc);
  return posts.map((events, i) => {
    const last = events[events.length - 1].n;
    const text = shorthand(i ? doc.slice(0, 6) : entry, events, { last, left: 1, rtt: i ? null : 3.1, sent: (last + 1) * 25 });
    events.forEach(remember);
    return text;
  });
}"""


def lines(seed: int) -> Iterator[str]:
    """Events of one page, for ever, about 530 bytes each, in the order in which people make them."""
    dice = random.Random(seed)
    for n, (kind, target, own) in enumerate(acts(dice)):
        p = n * EVERY_MS + dice.randrange(200) / 10
        time = int(p) if p == int(p) else round(p, 1)
        event = {
            "doc": DOC,
            "n": n,
            "p": time,
            "type": kind,
            "origin": "user",
            "target": target,
            "gesture": n // 3,
        } | own
        yield json.dumps(event, separators=(",", ":"))


def acts(dice: random.Random) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """(type, target, other fields): a person goes to an element, clicks it, and types there or scrolls."""
    x, y = 600, 400
    while True:
        target, words = place(dice)
        for _ in range(dice.randrange(3, 12)):
            x, y = abs(x + dice.randrange(-90, 90)), abs(y + dice.randrange(-60, 60))
            yield "mousemove", target, {"x": x, "y": y, "effect": "hover"}
        yield "focus", target, {}
        yield "click", target, {"x": x, "y": y, "button": 0, "detail": 1, "by": "pointer"}
        if dice.random() < 0.5:
            for typed in range(dice.randrange(4, 14)):
                yield "keydown", target, {"key": words[typed], "code": "KeyA", "modifiers": [], "repeat": False}
                text = {
                    "value": words[: typed + 1],
                    "inputType": "insertText",
                    "data": words[typed],
                    "before": words[:typed],
                }
                yield "input", target, text
        else:
            for turn in range(dice.randrange(2, 8)):
                yield "scroll", target, {"dx": 0, "dy": 120, "top": 120 * turn, "left": 0}


def place(dice: random.Random) -> tuple[dict[str, Any], str]:
    """An element, and what is typed there."""
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
    return target, words


def batches(seed: int, many: int, events: tuple[int, int]) -> list[list[str]]:
    """Lines of `many` posts."""
    dice, source = random.Random(seed), lines(seed)
    return [[next(source) for _ in range(dice.randint(*events))] for _ in range(many)]


def in_shorthand(posts: list[list[str]]) -> list[str]:
    """Bodies as the worker writes them, by its own code in a browser."""
    numbered, n = [], 0
    for post in posts:
        numbered.append([{"n": n + i, "line": line} for i, line in enumerate(post)])
        n += len(post)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())  # type: ignore[arg-type]
        texts: list[str] = browser.new_page().evaluate(
            WRITE.replace("SHORTHAND", f"({SHORTHAND})"), [DOC, ENTRY, numbered]
        )
        browser.close()
    return texts


def in_lines(posts: list[list[str]]) -> list[str]:
    """Bodies as they would be without shorthand."""
    texts, last = [], -1
    for i, post in enumerate(posts):
        last += len(post)
        note = (ENTRY if i == 0 else {"doc": DOC}) | {"last": last}
        header = {"v": 1, "sent": (last + 1) * EVERY_MS, "rtt": 3.1, "left": 1, "docs": [note]}
        texts.append("\n".join([json.dumps(header, separators=(",", ":")), *post]) + "\n")
    return texts


def write(path: Path, posts: list[list[str]], *, as_lines: bool) -> None:
    """The bodies of posts, packed as the worker packs them, to a file for the process that posts them."""
    texts = (in_lines if as_lines else in_shorthand)(posts)
    packed = [zlib.compress(text.encode(), 6).hex() for text in texts]
    told = [json.dumps([len(post), body]) for post, body in zip(posts, packed, strict=True)]
    path.write_text("\n".join(told))
