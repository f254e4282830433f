"""Attempts to forge a person's yes, each carried out against the real thing: `python -m tests.approvals`."""
