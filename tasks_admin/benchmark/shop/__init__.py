"""Larkfield, a small shop for the home."""
