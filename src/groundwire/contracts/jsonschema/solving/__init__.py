"""A value of one type that holds to given atoms, built; or the proof that there is none."""
