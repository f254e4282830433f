"""Deterministic checks at five seams, and the ledger that proves they ran."""
