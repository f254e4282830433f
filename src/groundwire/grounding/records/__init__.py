"""Tool results as records: whom a value is about, in which field, at which pointer."""
