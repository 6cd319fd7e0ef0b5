"""The comparison of people and agents as a page, as one file, and as tables and plots to take away."""
