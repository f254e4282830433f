"""A program of its own, of the standard library alone: it contains a command and runs it."""
