"""What a host says of a call's changes, held against what groundwire can read itself."""
