"""Engines beside those of contracts, and what several changes come to."""
