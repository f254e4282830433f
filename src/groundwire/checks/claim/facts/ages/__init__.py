"""Ages: how old the evidence of an answer is."""
