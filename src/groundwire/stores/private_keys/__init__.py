"""What the files of private keys in the key folder hold."""
