"""What never enters a recording: secrets, and headers and parameters that nobody asked for."""
