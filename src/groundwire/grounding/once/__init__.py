"""What is to happen once: the key of its deed, and what a later read says of it."""
