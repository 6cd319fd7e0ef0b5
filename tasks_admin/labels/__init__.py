"""What was said of runs and attempts: leads' blind labels of runs, and the labels that judges and people elsewhere gave."""
