"""Watching: the port through which an adapter tells the hall what crossed the wire."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol, TypeAlias

Headers: TypeAlias = Sequence[tuple[str, str]]
End: TypeAlias = Literal["whole", "closed", "error"]


class Attempt(Protocol):
    """One HTTP exchange being watched. No method of it raises or blocks on decoding."""

    def responded(self, status: int, headers: Headers) -> None:
        """The status line and headers arrived."""

    def chunk(self, data: bytes) -> None:
        """These bytes arrived, exactly so, before content decoding; the SDK reads them next."""

    def ended(self, how: End, error: str = "") -> None:
        """Nothing more comes: the stream was read to its end, closed early, or failed.

        Only the first call counts.
        """


class Watcher(Protocol):
    """What a watched client reports to; bound to the running session when a request is sent."""

    def composed(self, tools: Sequence[str] | None) -> AbstractContextManager[None]:
        """Requests sent within this context were composed from these tool names.

        `tools` is read from the SDK call's arguments before serialisation, None where that
        channel could not be read. Each attempt (retry) within it is a request of its own.
        """
        ...

    def sent(self, method: str, url: str, headers: Headers, body: bytes) -> Attempt | None:
        """The request is about to leave, byte for byte; None where it is not recorded.

        Raises:
            HostError: only under a policy that stops the agent: `on_recording_error = "stop"`,
                or `outside_session = "refuse"` with no session open.
        """
