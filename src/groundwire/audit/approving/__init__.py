"""What a person is asked, as they are shown it: spelled so that it cannot deceive the eye, page by page."""
