"""Answers: what a text says of values: its sentences, its numbers, whom they are about."""
