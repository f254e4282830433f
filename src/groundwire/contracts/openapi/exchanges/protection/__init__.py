"""Who may send requests: security requirements and the schemes they name."""
