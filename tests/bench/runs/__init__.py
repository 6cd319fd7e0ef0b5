"""Benchmark of taking agents' runs in from a large file."""
