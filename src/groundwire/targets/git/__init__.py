"""Refs and commits of one repository, moved by compare and swap; what git itself writes."""
