"""Attempts: one watched HTTP exchange while it is under way. Nothing here decodes."""

from __future__ import annotations

import threading
from collections.abc import Callable

from groundwire.session.watching import End, Headers

_TERMINATORS = (b"[DONE]", b"message_stop", b"response.completed", b"response.incomplete")


class WatchedAttempt:
    """Keeps what arrived, in order, until the run takes it up.

    `settled` is called once, when nothing more comes; it must only put the attempt into a queue.
    """

    __slots__ = (
        "_lock",
        "_settled",
        "chunks",
        "error",
        "exchange",
        "headers",
        "how",
        "lane",
        "provider",
        "size",
        "status",
        "taken",
    )

    def __init__(
        self, exchange: int, lane: int, provider: str, settled: Callable[[WatchedAttempt], None]
    ) -> None:
        self.exchange = exchange
        self.lane = lane
        self.provider = provider
        self.status: int | None = None
        self.headers: Headers = ()
        self.chunks: list[bytes] = []
        self.size = 0
        self.how: End | None = None
        self.error = ""
        self.taken = False
        self._settled = settled
        self._lock = threading.Lock()

    def responded(self, status: int, headers: Headers) -> None:
        """The status line and headers arrived."""
        self.status, self.headers = status, tuple(headers)

    def chunk(self, data: bytes) -> None:
        """These bytes arrived; they are kept as they are."""
        self.chunks.append(data)
        self.size += len(data)

    def ended(self, how: End, error: str = "") -> None:
        """Nothing more comes. Only the first call counts."""
        with self._lock:
            if self.how is not None:
                return
            self.how, self.error = how, error
        self._settled(self)

    def take(self) -> bool:
        """True for the one caller that may take the attempt up."""
        with self._lock:
            if self.taken:
                return False
            self.taken = True
            return True

    def seems_over(self) -> bool:
        """Whether the last bytes hold a protocol's terminator, though nobody closed the stream."""
        tail = b"".join(self.chunks[-4:])[-512:]
        return any(mark in tail for mark in _TERMINATORS)
