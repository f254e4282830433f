"""The terminal itself: where a person is asked, whatever standard input and output are."""
