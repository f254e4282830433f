"""A system that fails when told to: short writes, full disks, disks that lose what they took."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Callable

from groundwire.stores.disk.system import System


def fork() -> int:
    """`os.fork`, also where this process has threads: the child here touches none of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def forked(act: Callable[[], object]) -> str:
    """What `act` returns in a forked child, as text; what it raises, by its reason or its name."""
    read, write = os.pipe()
    child = fork()
    if child == 0:
        try:
            said = str(act())
        except BaseException as error:
            said = getattr(error, "reason", type(error).__name__)
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    with open(read, "rb") as answer:
        said = answer.read().decode()
    os.waitpid(child, 0)
    return said


class Faulty(System):
    """The real system, until told otherwise. `calls` names what was asked, in order.

    `short` is how many bytes one `write` takes at most; `room` how many there is room for;
    `fail` maps a method's name to the error number it fails with, for ever.
    """

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.short: int | None = None
        self.room: int | None = None
        self.fail: dict[str, int] = {}
        self.pretend_process: int | None = None
        self.flags: list[tuple[str, int, int]] = []

    def open(self, path: str, flags: int, mode: int = 0o600, *, folder: int | None = None) -> int:
        self._note("open")
        self.flags.append((path, flags, mode))
        return super().open(path, flags, mode, folder=folder)

    def write(self, descriptor: int, data: memoryview) -> int:
        self._note("write")
        take = len(data) if self.short is None else min(self.short, len(data))
        if self.room is not None:
            if self.room == 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            take = min(take, self.room)
            self.room -= take
        return super().write(descriptor, data[:take])

    def sync(self, descriptor: int) -> None:
        self._note("sync")
        super().sync(descriptor)

    def truncate(self, descriptor: int, size: int) -> None:
        self._note("truncate")
        super().truncate(descriptor, size)

    def lock(self, descriptor: int) -> None:
        self._note("lock")
        super().lock(descriptor)

    def rename(self, old: str, new: str, *, folder: int) -> None:
        self._note("rename")
        super().rename(old, new, folder=folder)

    def remove(self, path: str, *, folder: int) -> None:
        self._note("remove")
        super().remove(path, folder=folder)

    def process(self) -> int:
        return super().process() if self.pretend_process is None else self.pretend_process

    def _note(self, name: str) -> None:
        self.calls.append(name)
        if name in self.fail:
            raise OSError(self.fail[name], os.strerror(self.fail[name]))
