"""What is inside a single message: parameters, headers and bodies, as they stand on the wire."""
