"""What a call writes to: its state, what is proposed, the write if unchanged, what is seen after."""
