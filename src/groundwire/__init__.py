"""groundwire: AI agents' tool calls, allowed, recorded and true."""
