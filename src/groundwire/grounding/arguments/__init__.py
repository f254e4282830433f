"""Arguments: where a value stands in a result, and what its author declared of its source."""
