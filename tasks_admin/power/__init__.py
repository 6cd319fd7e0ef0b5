"""The page that says how many tasks and people an interval of some width takes: what is asked, and what is told."""
