"""The one place that reads the clock and draws randomness; everybody else is handed both."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime


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
        self._pool = b""
        self._at = 0
        self._owner = os.getpid()

    def __call__(self) -> bytes:
        """The next salt."""
        with self._lock:
            if self._at >= len(self._pool) or self._owner != os.getpid():
                self._pool, self._at, self._owner = random_bytes(4096), 0, os.getpid()
            salt = self._pool[self._at : self._at + 16]
            self._at += 16
            return salt
