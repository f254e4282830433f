"""What is shown of a change: each cause once, with the exchange that shows it."""
