"""Folders: what lies in one, looked through within bounds."""
