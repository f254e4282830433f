"""What a recording says now, held against what was said while it was made."""
