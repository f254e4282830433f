"""Any bytes are tried without a clock, and leave nothing behind.

Not in the conftest above: loading Hypothesis costs every other test run a second.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("house", deadline=None, database=None, print_blob=True)
settings.load_profile("house")
