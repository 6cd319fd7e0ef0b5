"""What can go wrong in the harness, said so that the person at the command line can act on it."""

from __future__ import annotations


class HarnessError(Exception):
    """A recording could not be made; the message says what to do."""


class DriveError(HarnessError):
    """A drive file is wrong, or the page did not behave as it says."""
