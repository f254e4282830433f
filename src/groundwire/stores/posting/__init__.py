"""Posting: what is sent over HTTP, to the addresses that the policy names and to no other."""
