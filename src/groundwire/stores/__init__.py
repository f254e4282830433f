"""The only code that opens files, folders and databases."""
