"""Simulated studies, and what estimates make of them."""
