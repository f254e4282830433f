"""Commands whose program says beforehand what it would do: that is judged, and that is carried out."""
