"""Files and folders as the stores ask for them of the operating system."""
