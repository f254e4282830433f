"""Changes to contracts, as a terminal, a pull request or a code host shows them."""
