"""Replaying a trace in Playwright: its steps, in a fresh session, each found by what it was and not by where it stood."""
