"""Deeds that an answer claims, against what the calls of the run did."""
