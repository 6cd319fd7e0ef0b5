"""What a page posts, for servers of tests that have no database: shorthand and lines alike as a header and event lines."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from recorder import shorthand
from recorder.errors import FootpathError

LIMIT = 2**24


@dataclass
class Reader:
    """Remembers what it was posted, as the database does."""

    held: dict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))

    def read(self, body: str) -> tuple[dict[str, Any], list[str]]:
        """A post's header and lines. Raises FootpathError (409) where shorthand is like what was never posted."""
        if body.startswith("[2,"):
            header, lines = self.spelled_out(body)
        else:
            first, *rest = body.split("\n")
            header, lines = json.loads(first), [line for line in rest if line.strip()]
        return header, lines

    def spelled_out(self, body: str) -> tuple[dict[str, Any], list[str]]:
        said = shorthand.read(body)
        about = said.who if isinstance(said.who, dict) else {"doc": self.whole(said.who)}
        lines = [line for line, _ in shorthand.lines(said, about["doc"], self.held[about["doc"]], LIMIT)]
        note = about | {"last": said.last}
        return {"v": 2, "sent": said.sent, "rtt": said.rtt, "left": said.left, "docs": [note]}, lines

    def whole(self, beginning: str) -> str:
        """A document's id by its beginning."""
        docs = [doc for doc in self.held if doc.startswith(beginning)]
        if len(docs) != 1:
            raise FootpathError("unlike", 409, "It is not certain which document is meant.")
        return docs[0]

    def keep(self, header: dict[str, Any], lines: list[str]) -> None:
        """Remember a post that is acknowledged."""
        for note in header["docs"]:
            self.held.setdefault(note["doc"], {})
        for line in lines:
            event = json.loads(line)
            self.held[event["doc"]][event["n"]] = line
