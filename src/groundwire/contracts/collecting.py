"""Collecting: work on large values that make no cycles, undisturbed by the search for some."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Looks for no cycles meanwhile, in no thread: of values that grow it goes through all again.

    What it found is as it was before, also where several do this at once.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
