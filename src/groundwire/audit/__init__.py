"""The read-out: replay, explanation, and the words for what was and was not checked."""
