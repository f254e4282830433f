"""What people are asked and what they said, on this machine. Only signatures count, never the place."""
