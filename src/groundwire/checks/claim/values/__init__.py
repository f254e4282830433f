"""Values of an answer: numbers, identifiers, dates, against the results of the run."""
