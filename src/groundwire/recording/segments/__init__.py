"""One file of a run while it is being written: its contents, its bodies by parts, its chain."""
