"""Where requests go: servers, path templates, and which operation answers."""
