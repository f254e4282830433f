"""Results against the schema that their tool declares for them."""
