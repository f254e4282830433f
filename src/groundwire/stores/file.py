"""FileSink: one segment of a recording as a file that only this process writes.

The file is 0600. A folder that has to be made for it is 0700 and ignores itself; one that was
there is left as it is. docs/reference/recording-format.md says what stands in it.
"""

from __future__ import annotations

import errno
import os
import threading
import weakref
from copy import copy
from pathlib import Path
from typing import Self

from groundwire.canon.digest import raw
from groundwire.errors import HostError
from groundwire.stores.disk.folders import (
    ATTACHMENTS,
    ignore_itself,
    make_folders,
    remove_if_there,
    sync_folder,
    unwritable,
    write_file,
)
from groundwire.stores.disk.system import APPEND, CREATE, System, is_file, is_same

_sinks: weakref.WeakSet[FileSink] = weakref.WeakSet()
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class FileSink:
    """Appends to one file; `create` makes a new one, `stores.recover` opens one that was left.

    Safe to sync from another thread while one thread appends. After a fork only the parent may
    use it.
    """

    def __init__(self, path: Path, descriptor: int, size: int, system: System) -> None:
        self.path = path
        self._descriptor = descriptor
        self._size = size
        self._system = system
        self._process = system.process()
        self._writing = threading.Lock()
        self._syncing = threading.Lock()
        self._poison: HostError | None = None
        self._attached: set[str] = set()
        _sinks.add(self)

    @classmethod
    def create(cls, path: Path, *, system: System | None = None) -> Self:
        """A sink whose file is new, empty and locked.

        Raises:
            HostError: `recording-exists`: something stands there; `recording-unwritable`.
        """
        system = system or System()
        make_folders(path.parent, system)
        # Links on the way are the user's to make; the file itself must not be one.
        path = path.parent.resolve() / path.name
        try:
            descriptor = system.open(str(path), APPEND | CREATE)
        except FileExistsError as error:
            raise HostError(
                "recording-exists",
                f"{path} exists; a recording is never written over. Give another name.",
            ) from error
        except OSError as error:
            raise unwritable(path, error) from error
        try:
            system.allow(descriptor, 0o600)
            lock(descriptor, path, system)
            sync_folder(path.parent, system)
        except BaseException as error:
            system.close(descriptor)
            if isinstance(error, OSError):
                raise unwritable(path, error) from error
            raise
        return cls(path, descriptor, 0, system)

    @property
    def size(self) -> int:
        """How many bytes stand in the file."""
        return self._size

    def append(self, data: bytes) -> None:
        """The lines stand at the file's end, all of them; written, not yet durable.

        Raises:
            HostError: `disk-full` or `write-failed` (nothing of `data` is there; may work later),
                `forked`, `recording-closed`, or for good what poisoned the sink.
        """
        self._require_own()
        with self._writing:
            self._require_sound()
            try:
                self._write(data)
                self._size += len(data)
            except OSError as error:
                self._cut_back()
                raise _write_failed(self.path, error) from error
            except BaseException:
                self._cut_back()
                raise

    def sync(self) -> None:
        """Everything appended is durable.

        Raises:
            HostError: `sync-failed`, `recording-deleted`, `recording-replaced`,
                `recording-altered`: each for good, because nothing is known any more about what
                the file holds; `forked`, `recording-closed`.
        """
        self._require_own()
        with self._syncing:
            with self._writing:
                self._require_sound()
                self._require_there()
            try:
                self._system.sync(self._descriptor)
            except OSError as error:
                # The kernel may have dropped the pages that failed: a second call would succeed
                # and mean nothing.
                raise self._poisoned(
                    "sync-failed",
                    f"The disk refused to keep {self.path} ({error.strerror}). What was durable "
                    "before is; later entries may be lost. Look at the disk.",
                ) from error

    def attach(self, digest: str, data: bytes) -> None:
        """The file of this `sha256:` stands whole and durable beside the recording.

        Raises:
            HostError: as `append`.
        """
        self._require_own()
        name = raw(digest).hex()
        with self._writing:
            self._require_sound()
            if name in self._attached:
                return
            try:
                self._attach(name, data)
            except OSError as error:
                raise _write_failed(self.path, error) from error
            self._attached.add(name)

    def close(self) -> None:
        """The file is closed and its lock let go. Closing twice is closing once."""
        if self._system.process() != self._process:
            self.let_go()
            return
        with self._syncing, self._writing:
            if self._descriptor >= 0:
                self._system.unlock(self._descriptor)
                self._system.close(self._descriptor)
                self._descriptor = -1

    def let_go(self) -> None:
        """In a forked child: the inherited descriptor, and with it the lock, is not held here."""
        # No lock is taken: the thread that held it at the fork does not exist in the child.
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            self._system.close(descriptor)

    # -- inside -------------------------------------------------------------------------------

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            taken = self._system.write(self._descriptor, rest)
            if taken <= 0:
                raise OSError(errno.EIO, "the file takes no more bytes")
            rest = rest[taken:]

    def _cut_back(self) -> None:
        """What a failed write left is taken off again; where that fails too, nothing follows."""
        try:
            self._system.truncate(self._descriptor, self._size)
        except OSError as error:
            self._poisoned(
                "write-failed",
                f"A part of an entry stands at the end of {self.path} and cannot be taken off "
                f"({error.strerror}). `groundwire verify` reads what is before it.",
            )

    def _attach(self, name: str, data: bytes) -> None:
        folder = self._attachments()
        part = f".{name}.{self._process}.part"
        try:
            remove_if_there(part, self._system, folder)  # of a process of this number that crashed
            write_file(part, data, self._system, folder)
            self._system.rename(part, name, folder=folder)
            self._system.sync(folder)
        except BaseException:
            remove_if_there(part, self._system, folder)
            raise
        finally:
            self._system.close(folder)

    def _attachments(self) -> int:
        path = str(self.path) + ATTACHMENTS
        try:
            self._system.make_folder(path)
        except FileExistsError:
            return self._system.open_folder(path)
        folder = self._system.open_folder(path)
        ignore_itself(folder, self._system)
        sync_folder(self.path.parent, self._system)
        return folder

    def _require_own(self) -> None:
        # A lock is inherited over a fork, so it cannot tell parent and child apart.
        if self._system.process() != self._process:
            raise HostError(
                "forked",
                "This recording belongs to the parent process; a forked child opens its own run.",
            )

    def _require_sound(self) -> None:
        if self._poison is not None:
            raise copy(self._poison)
        if self._descriptor < 0:
            raise HostError("recording-closed", f"{self.path} is closed.")

    def _require_there(self) -> None:
        """The file is still the one at its path, with the bytes that were written and no others."""
        try:
            here = self._system.state(self._descriptor)
            there = self._system.state_at(str(self.path))
        except OSError as error:
            raise self._poisoned(
                "recording-deleted",
                f"{self.path} is gone: it was deleted or moved while it was written. Open a new "
                "run.",
            ) from error
        if here.st_nlink < 1 or not is_same(here, there):
            raise self._poisoned(
                "recording-replaced",
                f"Another file stands at {self.path}: the recording was replaced while it was "
                "written. Open a new run.",
            )
        if here.st_size != self._size:
            raise self._poisoned(
                "recording-altered",
                f"{self.path} has {here.st_size} bytes where {self._size} were written: somebody "
                "else wrote or cut it. Keep the file and open a new run.",
            )

    def _poisoned(self, reason: str, message: str) -> HostError:
        self._poison = HostError(reason, message)
        return copy(self._poison)


def lock(descriptor: int, path: Path, system: System) -> None:
    """Nobody but this process writes the file.

    Raises:
        HostError: `recording-in-use`.
    """
    try:
        system.lock(descriptor)
    except BlockingIOError as error:
        raise HostError(
            "recording-in-use", f"Another writer has {path} open; give another name or wait."
        ) from error


def require_recording(descriptor: int, path: Path, system: System) -> int:
    """The size of an open file that is this user's own, and a file.

    Raises:
        HostError: `recording-unwritable`.
    """
    state = system.state(descriptor)
    if not is_file(state) or system.user() not in (-1, state.st_uid):
        raise HostError(
            "recording-unwritable", f"{path} is not a file of this user's; it is not written to."
        )
    return state.st_size


def _write_failed(path: Path, error: OSError) -> HostError:
    if error.errno in _FULL:
        return HostError(
            "disk-full",
            f"The disk under {path} is full ({error.strerror}); what was acknowledged stays "
            "readable. Make room.",
        )
    return HostError(
        "write-failed",
        f"{path} could not be written ({error.strerror}); what was acknowledged stays readable.",
    )


def _let_go_in_child() -> None:
    for sink in list(_sinks):
        sink.let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_in_child)
