"""Errors that have a meaning for the person who meets them."""

from __future__ import annotations

from typing import Any


class FootpathError(Exception):
    """A refusal with a stable ``code``, an HTTP ``status``, a readable ``message`` and data for whoever handles it."""

    def __init__(self, code: str, status: int, message: str, **data: Any) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.message = message
        self.data = data
