"""The search for a value that holds to a goal."""
