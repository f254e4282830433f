"""Where calls reach: paths as they really are, places nobody writes, things nobody reads."""
