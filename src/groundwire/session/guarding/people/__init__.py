"""People in the loop of a guarded call: who is asked, what they said, and that all is to stop."""
