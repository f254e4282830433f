"""What bytes mean: one value, one encoding, one digest."""
