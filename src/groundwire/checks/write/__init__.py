"""Write: tools have answered, and their results stand in a request."""
