"""Deciding without doing: what a policy says of a call, or of all calls of a log. Nothing runs."""
