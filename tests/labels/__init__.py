"""Labels of runs and of attempts: leads' blind ones, and those of judges and people elsewhere."""
