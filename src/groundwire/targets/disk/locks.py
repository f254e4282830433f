"""Locks: of all writers that share one folder of state, one at a time exchanges names in a place.

Without them a writer could read what another has placed and is about to take back. They hold
nobody up who does not write through groundwire, and no writer with another folder of state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from groundwire.errors import HostError
from groundwire.targets.disk.system import Disk

_SLOTS: Final = 256


@contextmanager
def exclusively(state: Path, places: Iterable[tuple[int, int]], disk: Disk) -> Iterator[None]:
    """Nobody else is in here with one of the same places, each a folder's device and inode.

    Waits for those who are. The kernel lets go of the locks of a process that dies. Two places may
    share a lock.

    Raises:
        HostError: `journal-failed`.
    """
    slots = sorted({(device * 31 + inode) % _SLOTS for device, inode in places})
    with ExitStack() as stack:
        try:
            for slot in slots:  # in one order, so that no two wait for each other
                descriptor = _opened(f"{state}/{slot:03}.lock", state, disk)
                stack.callback(disk.close, descriptor)
                disk.wait_for_lock(descriptor)
        except OSError as error:
            raise HostError(
                "journal-failed",
                f"Nothing can be locked in {state} ({error.strerror or error}); see to the folder.",
            ) from error
        yield


def _opened(path: str, state: Path, disk: Disk) -> int:
    try:
        return disk.open_lock(path)
    except FileNotFoundError:  # the first that is locked here
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        return disk.open_lock(path)
