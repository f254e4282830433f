"""Choice: the model has chosen tool calls."""
