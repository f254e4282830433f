"""What a run keeps while it is open: what is under way, who runs, who listens, how it ends."""
