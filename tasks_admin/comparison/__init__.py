"""People against agents: every figure from three plain tables (attempts, tasks, runs). Nothing here knows a database."""
