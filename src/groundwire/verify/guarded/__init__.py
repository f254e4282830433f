"""Guarded calls of a recording: what their entries say by themselves, and together."""
