"""Several versions of one file, of which most is the same."""
