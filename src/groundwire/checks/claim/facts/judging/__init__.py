"""Judging one claim: which facts settle it, and whether the answer agrees with them."""
