"""SQL: a statement read, and how grave is what it does. Pure: no database is asked anything."""
