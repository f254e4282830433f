"""The one place that reads the clock and draws randomness; everybody else is handed both."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime

from groundwire.stores.disk.system import process_number


def now() -> datetime:
    """The wall clock, in UTC."""
    return datetime.now(UTC)  # noqa: TID251 -- this is the place


def random_bytes(count: int) -> bytes:
    """`count` bytes from the operating system's generator."""
    return os.urandom(count)  # noqa: TID251 -- this is the place


class Salts:
    """16 fresh random bytes at each call, drawn from the system 256 salts at a time.

    A forked child draws anew: two processes never share a salt.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: list[bytes] = []
        self._owner = process_number()

    def __call__(self) -> bytes:
        """The next salt."""
        with self._lock:
            if not self._pool or self._owner != process_number():
                drawn = random_bytes(4096)
                self._pool = [drawn[at : at + 16] for at in range(0, 4096, 16)]
                self._owner = process_number()
            return self._pool.pop()
