"""Ready-made tools, with their declarations."""
