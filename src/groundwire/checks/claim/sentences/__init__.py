"""Checks of what an answer says in sentences: acts, quotations, imitated channels, lists."""
