"""How values stand on the wire: media types, styles of parameters, and texts without types."""
