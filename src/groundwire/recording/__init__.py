"""The recording: lines, chain, bodies by parts, and the port to a place that keeps them."""
