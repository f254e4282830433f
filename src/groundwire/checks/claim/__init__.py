"""Checks at the claim seam: a final answer against what the run served."""
