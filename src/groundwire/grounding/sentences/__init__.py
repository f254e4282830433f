"""Reading sentences of an answer: what it says was done, quotes and lists. English only."""
