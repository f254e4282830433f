"""What a staged command left in `.git`, looked at as if it stood there already."""
