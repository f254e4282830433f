"""What may come back: responses by their status."""
