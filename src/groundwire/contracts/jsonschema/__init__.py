"""JSON Schema: does every value of one schema fit another, and if not, which does not."""
