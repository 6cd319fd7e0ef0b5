"""Fixtures that every test may use."""

from tests.cast import cast, toy, work

__all__ = ["cast", "toy", "work"]
