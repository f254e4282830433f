"""What is to be done once: one call's part in it, and the idempotency key of its tool."""
