"""Commands that say where things in a run come from."""
