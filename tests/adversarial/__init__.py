"""Attacks on guarded calls, each carried out against the real thing: `python -m tests.adversarial`."""
