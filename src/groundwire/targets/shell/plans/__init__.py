"""Tools that say beforehand what they would do, and then do exactly that."""
