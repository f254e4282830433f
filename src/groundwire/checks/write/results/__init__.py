"""Checks of what a tool returned and what of it was served."""
