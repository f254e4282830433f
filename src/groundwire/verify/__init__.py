"""The verifier: bytes and public keys in, a verdict out."""
