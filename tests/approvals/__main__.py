"""`python -m tests.approvals [NAME...]`: a line an attempt; 1 where one was accepted."""

from __future__ import annotations

import sys

from tests.approvals.listing import told

if __name__ == "__main__":
    sys.exit(told(print, sys.argv[1:]))
