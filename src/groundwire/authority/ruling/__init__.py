"""Ruling: what rules say of a question. Pure: no clock, no disk, nothing but its arguments."""
