"""Answers held against facts: declared claims, evidence of earlier turns, evidence gone stale."""
