"""What the gateway says itself: short pages in plain words."""

from __future__ import annotations

from html import escape

TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>body{{font:17px/1.5 system-ui,sans-serif;margin:18vh auto;max-width:32rem;padding:0 1.5rem;color:#1c2733;background:#fbfaf7}}
h1{{font-size:1.35rem}}@media(prefers-color-scheme:dark){{body{{color:#e7e3da;background:#171b20}}}}</style></head>
<body><h1>{title}</h1><p>{words}</p></body></html>
"""

UNKNOWN = (
    404,
    "There is no recording here",
    "Open the website from Footpath's own page; this address does not lead to one.",
)
OVER = (410, "This recording is over; you can close this tab", "Everything that was recorded here is kept.")
RESERVED = (404, "Not part of the website", "The website has nothing at this address.")
DOWN = (
    502,
    "The website does not answer",
    "It may be starting again. Reload this page in a moment; nothing recorded is lost.",
)
BUSY = (503, "Footpath cannot reach its database", "Reload this page in a moment; nothing recorded is lost.")
BAD_REQUEST = (400, "This address cannot be understood", "Open the website from Footpath's own page.")


def page(title: str, words: str) -> bytes:
    """A whole HTML page. The one of a recording that is over closes its tab where a page opened it: nobody shall go on
    working where nothing is recorded any more."""
    closing = "<script>close()</script>" if title == OVER[1] else ""
    return TEMPLATE.format(title=escape(title), words=escape(words) + closing).encode()
