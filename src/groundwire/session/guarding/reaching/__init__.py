"""Reaching: the contracts that a call changes by other files than their own."""
