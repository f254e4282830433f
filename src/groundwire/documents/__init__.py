"""The nouns: frozen documents, no behaviour beyond their own shape."""
