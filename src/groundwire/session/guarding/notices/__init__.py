"""Notices: a call that a rule warns of is told of before its effect."""
