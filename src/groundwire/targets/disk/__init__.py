"""Files and folders as the targets ask for them of the operating system."""
