"""Ways: how the call of a tool with a certain kind of target is judged and carried out."""
