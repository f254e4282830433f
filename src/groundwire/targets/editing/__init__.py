"""Edits and patches on bytes: pure, strict, and never a guess."""
