"""What tools ran with: made JSON, joined with the calls on the wire, told to the run."""
