"""Reading what a policy says of guarded calls: targets of tools, and the tables below `[guard]`."""
