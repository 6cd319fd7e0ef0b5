"""Whole studies of plausible people and agents, drawn from known truths: to test estimates, for demonstration, for planning."""
