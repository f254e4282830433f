"""`python -m tests.reassembly [NAME...]`: a line a sequence, its twin and ordinary work; 1 where one went wrong."""

from __future__ import annotations

import sys

from tests.reassembly.listing import told

if __name__ == "__main__":
    sys.exit(told(print, sys.argv[1:]))
