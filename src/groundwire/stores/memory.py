"""MemorySink: the twin of the file in memory, which can fail and crash when told to."""

from __future__ import annotations

from copy import copy

from groundwire.errors import HostError


class MemorySink:
    """Keeps everything in memory; `survived_crash` is what a lost machine would leave.

    `fail_next` holds errors by method name (`append`, `sync`, `attach`): the next call of that
    method raises its one, once, and changes nothing. A failed `sync` poisons for good, as a file does.
    """

    def __init__(self) -> None:
        self.data = b""
        self.files: dict[str, bytes] = {}
        self.synced = 0
        self.syncs = 0
        self.closed = False
        self.fail_next: dict[str, HostError] = {}
        self._poison: HostError | None = None

    def append(self, data: bytes) -> None:
        """The lines stand at the end."""
        self._allow("append")
        self.data += data

    def sync(self) -> None:
        """Everything so far would survive a crash."""
        try:
            self._allow("sync")
        except HostError as error:
            self._poison = error
            raise
        self.synced = len(self.data)
        self.syncs += 1

    def attach(self, digest: str, data: bytes) -> None:
        """The file stands beside the recording."""
        self._allow("attach")
        self.files[digest] = data

    def close(self) -> None:
        """Nothing more comes."""
        self.closed = True

    def lines(self) -> list[bytes]:
        """The lines so far, each with its line feed."""
        return self.data.splitlines(keepends=True)

    def survived_crash(self) -> bytes:
        """What was synced, and nothing else."""
        return self.data[: self.synced]

    def _allow(self, method: str) -> None:
        if self.closed:
            raise HostError("recording-closed", "The recording is closed.")
        if self._poison:
            raise copy(self._poison)
        if method in self.fail_next:
            raise self.fail_next.pop(method)
