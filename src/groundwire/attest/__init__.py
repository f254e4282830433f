"""Sealing and opening of every signed document."""
