"""SQLite: the adapter over the standard library's `sqlite3`."""
