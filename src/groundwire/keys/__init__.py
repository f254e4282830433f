"""Keys: what signs, what a key is trusted for, and when."""
