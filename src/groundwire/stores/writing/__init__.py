"""Writing: which grants were used and what was written under them, kept for recovery and undo."""
