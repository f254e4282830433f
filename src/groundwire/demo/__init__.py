"""The demo: a small agent, a story for it, and how groundwire tells what happened."""
