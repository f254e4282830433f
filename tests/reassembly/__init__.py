"""Content that reaches a governed file in pieces, over several calls: judged where it lands."""
