"""`groundwire stop` and `groundwire plan`: a person's word that agents stop, go on, or act."""
