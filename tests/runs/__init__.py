"""Agents' runs: formats, and taking them in."""
