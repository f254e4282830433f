"""Models: a request of the loop in a provider's own form, and its answer back."""
