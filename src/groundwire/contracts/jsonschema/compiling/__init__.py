"""From a schema's text, in whichever dialect, to literals of the graph."""
