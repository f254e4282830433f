"""Reading values: which of them were served, where, and in which spelling."""
