"""Databases: a statement runs in a transaction, is judged by what it did there, then committed."""
