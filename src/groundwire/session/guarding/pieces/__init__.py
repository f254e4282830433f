"""What several calls come to together."""
