"""Shapes of SDKs: tools as they are given, tool lists as they are offered, calls, results."""
