"""The worker's own writer of shorthand, for a page of tests: `SHORTHAND(doc)` gives its functions, and nothing else of the worker."""

from __future__ import annotations

from pathlib import Path

SOURCE = Path(__file__).parents[1] / "static" / "recorder" / "worker-columns.js"
SHORTHAND = f"(doc) => {{\n{SOURCE.read_text()}\nreturn {{ shorthand, remember, memory, code, signed }};\n}}"
