"""Does a recording stay whole while things die under it? `python -m tests.endurance --rounds 200 --seed 1`."""
