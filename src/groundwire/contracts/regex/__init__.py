"""Regular expressions as languages: which string is in these and not in those."""
