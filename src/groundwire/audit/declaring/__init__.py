"""Declaring: what runs show of where arguments come from, and what of it is not declared yet."""
