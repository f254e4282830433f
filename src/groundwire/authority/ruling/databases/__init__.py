"""Databases: what the rules say of a statement and of what it did."""
