"""Lookup: whether a value stands among passages, and what only repeats it."""
