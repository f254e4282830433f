"""What a person is asked about one call, and whether an approval given beforehand covers it."""
