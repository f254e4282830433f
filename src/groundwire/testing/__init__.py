"""Stand-ins for tests and the demo: a provider on loopback, a model with a script."""
