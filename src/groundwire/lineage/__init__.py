"""Where each tool result stood in each request."""
