"""Artifacts: which files are governed, told by what stands in them and by where they lie."""
