"""The hall with a guard: it answers the steps of a guarded call, and holds the guarded table."""
