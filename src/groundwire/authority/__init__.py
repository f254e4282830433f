"""Policy and keys, read from where they are kept."""
