"""Owners: which process a planned write belongs to, and whether that process still runs.

Each process holds a lock on a small file of its own; the kernel lets go of it when the process
dies, however it dies.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from groundwire.errors import HostError
from groundwire.stores.disk.folders import make_folders
from groundwire.stores.disk.system import System

if sys.platform != "win32":
    import fcntl

_OWNER: Final = re.compile(r"[0-9a-f]{32}")


class Owners:
    """The owners whose files are in one folder, of which this process is one.

    A lock of this kind is not inherited by a forked child: the child is another owner, and gets a
    name of its own where `name` is asked for again.

    Raises:
        HostError: `owner-unmarked`: the folder or the file cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._names: dict[int, str] = {}

    def name(self, fresh: str) -> str:
        """The name of this process, held by it until it ends; `fresh` where it has none yet."""
        process = os.getpid()
        with self._lock:
            if process not in self._names:
                self._hold(fresh)
                self._names[process] = fresh
            return self._names[process]

    def is_alive(self, owner: str) -> bool:
        """Whether the process of this name still runs; no where the name is none of ours.

        A process that shows no sign of life has let go of its lock.
        """
        if owner == self._names.get(os.getpid()):
            return True
        if not _OWNER.fullmatch(owner):
            return False
        path = self._folder / owner
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise self._unmarked(error) from error
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        else:
            with suppress(OSError):
                os.unlink(path)
            return False
        finally:
            os.close(descriptor)

    def _hold(self, name: str) -> None:
        make_folders(self._folder, System(), ignored=False)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            # Stays open until the process ends: closing it would let go of the lock.
            descriptor = os.open(self._folder / name, flags, 0o600)
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise self._unmarked(error) from error

    def _unmarked(self, error: OSError) -> HostError:
        return HostError(
            "owner-unmarked",
            f"{self._folder} cannot be used ({error.strerror or error}); set XDG_STATE_HOME to a"
            " folder of your own.",
        )
