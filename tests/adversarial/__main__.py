"""`python -m tests.adversarial [NAME...]`: a line an attack; 1 where one was not stopped."""

from __future__ import annotations

import sys

from tests.adversarial.listing import told

if __name__ == "__main__":
    sys.exit(told(print, sys.argv[1:]))
