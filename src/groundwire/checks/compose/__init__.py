"""Compose: the request is being assembled."""
