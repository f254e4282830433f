"""Spellings: the narrow, named ways in which another text is the same value."""
