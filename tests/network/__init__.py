"""What groundwire reaches of a network: nothing that the policy does not name."""
