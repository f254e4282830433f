"""What a change of a contract means: before and after in, a verdict with a witness out."""
