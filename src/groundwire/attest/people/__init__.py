"""What people sign: answers to what they are asked, approvals beforehand, and that all is to stop."""
