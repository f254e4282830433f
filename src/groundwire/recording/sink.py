"""Sink: the port to a place that keeps one segment of a recording."""

from __future__ import annotations

from typing import Protocol


class Sink(Protocol):
    """Keeps lines in order, and files beside them. One writer at a time.

    Every method raises `HostError` and nothing else. A method that raised has changed nothing that
    a reader would see; whether a later call can work is the reason's to say.
    """

    def append(self, data: bytes) -> None:
        """These whole lines stand at the end and survive the death of this process.

        All of them or none: a part that was taken is cut back.
        """

    def sync(self) -> None:
        """Everything appended and attached so far survives the death of this machine.

        After a failure nothing is known about what was appended since the last success: the
        sink takes nothing more.
        """

    def attach(self, digest: str, data: bytes) -> None:
        """A file named by its `sha256:` stands beside the recording; whole, or not at all."""

    def close(self) -> None:
        """Nothing more comes. Does not sync."""
