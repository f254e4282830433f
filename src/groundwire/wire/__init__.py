"""Provider bytes to documents and foreign logs to documents; nothing is dropped silently."""
