"""Checks of runs with a guard: what went past it, as far as the wire shows."""
