"""Values in prose and results: what they are, exactly, and how precisely they are stated."""
