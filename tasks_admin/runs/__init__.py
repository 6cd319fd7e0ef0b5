"""Agents' runs: reading what other harnesses wrote, and taking it into a study."""
