"""`groundwire approvals`: what agents ask, and what a person says to it at a terminal."""
