"""Commands that run once beside their working folder, and what they left, as changes to judge."""
