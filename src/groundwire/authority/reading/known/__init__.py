"""What each key of a declaration may hold, for those tables that are many."""
