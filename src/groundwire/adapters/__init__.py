"""One SDK a module: what it sends and reads is watched, never changed."""
