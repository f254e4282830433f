"""Files below one folder, written by exchange so that nobody's bytes are lost."""
