"""Lineage of a run, read out of its recording or of a log."""
