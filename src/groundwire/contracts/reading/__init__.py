"""Bytes of JSON or YAML as values, with the places where they were written."""
