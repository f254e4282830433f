"""`python -m tests.benign`: a line a step, and at the end how many were refused and asked."""

from __future__ import annotations

import sys

from tests.benign.session import carry_out

if __name__ == "__main__":
    sys.exit(carry_out(print))
