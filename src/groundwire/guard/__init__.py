"""The order of a guarded call, and what is asked of the host on the way. No I/O of its own."""
