"""What `groundwire diff` is asked and how it answers."""
