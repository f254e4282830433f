"""Two versions of an API's description, and what the change does to those who use it."""
