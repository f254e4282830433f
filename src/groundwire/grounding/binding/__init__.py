"""Binding: whom a sentence names, and whether their records say what it says."""
