"""Why a value that was taken is refused now: the keyword that refuses it, and what is called so."""
