"""Wire: the body that left, against what was composed."""
