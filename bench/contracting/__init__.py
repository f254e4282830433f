"""Parts of `bench.contracts`: what is said of changed contracts, and what saying it costs."""
