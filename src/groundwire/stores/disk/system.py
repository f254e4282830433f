"""System: what a store asks of the operating system, in one place, so that a test can be one.

Every method raises `OSError` as `os` does. Paths are text; `folder` is an open descriptor.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress

if sys.platform != "win32":
    import fcntl

_CLOSE = getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0)

APPEND = os.O_WRONLY | os.O_APPEND
APPEND_AND_READ = os.O_RDWR | os.O_APPEND
READ = os.O_RDONLY
CREATE = os.O_CREAT | os.O_EXCL
_UNSUPPORTED = {errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOLCK, errno.ENOSYS}


_process = os.getpid()


def process_number() -> int:
    """The number of this process, also in a forked child; asked of the system once in each."""
    return _process


def _forked() -> None:
    global _process  # noqa: PLW0603 -- the child is another process
    _process = os.getpid()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class System:
    """The operating system itself."""

    def open(self, path: str, flags: int, mode: int = 0o600, *, folder: int | None = None) -> int:
        """A descriptor of the file itself: a symbolic link in its place is refused."""
        safe = flags | _CLOSE | _NO_LINK | _BINARY
        return os.open(path, safe, mode, dir_fd=folder)

    def open_folder(self, path: str, *, folder: int | None = None) -> int:
        """A descriptor of a folder, not of a symbolic link to one."""
        return os.open(path, os.O_RDONLY | _CLOSE | _NO_LINK | _FOLDER, dir_fd=folder)

    def read(self, descriptor: int, size: int) -> bytes:
        """At most `size` bytes; none at the end."""
        return os.read(descriptor, size)

    def write(self, descriptor: int, data: memoryview) -> int:
        """How many bytes were taken."""
        return os.write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        """What was written is on the medium, as far as the medium tells the truth."""
        if sys.platform == "darwin":
            try:
                # fsync(2) there leaves the data in the drive's cache.
                fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            except OSError as error:
                if error.errno not in _UNSUPPORTED:
                    raise
            else:
                return
        os.fsync(descriptor)

    def truncate(self, descriptor: int, size: int) -> None:
        """The file has `size` bytes."""
        os.ftruncate(descriptor, size)

    def lock(self, descriptor: int) -> None:
        """Nobody else has the lock of this file; where the file system has none, neither do we."""
        if sys.platform == "win32":
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise

    def unlock(self, descriptor: int) -> None:
        """The lock is free, also where a forked child holds a copy of the descriptor."""
        if sys.platform != "win32":
            with suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_UN)

    def state(self, descriptor: int) -> os.stat_result:
        """What an open file is."""
        return os.fstat(descriptor)

    def state_at(self, path: str, *, folder: int | None = None) -> os.stat_result:
        """What stands at a path, a symbolic link as itself."""
        return os.stat(path, dir_fd=folder, follow_symlinks=False)

    def allow(self, descriptor: int, mode: int) -> None:
        """The file has these permissions, whatever the process's mask is."""
        if sys.platform != "win32":
            os.fchmod(descriptor, mode)

    def make_folder(self, path: str, *, folder: int | None = None) -> None:
        """A folder of its owner's alone stands at `path`, where nothing stood."""
        os.mkdir(path, 0o700, dir_fd=folder)
        os.chmod(path, 0o700, dir_fd=folder)

    def names(self, folder: int) -> list[str]:
        """What stands in an open folder."""
        return os.listdir(folder)

    def rename(self, old: str, new: str, *, folder: int) -> None:
        """The file has the other name, at once, within the folder."""
        os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder)

    def remove(self, path: str, *, folder: int) -> None:
        """The file is gone from the folder."""
        os.unlink(path, dir_fd=folder)

    def remove_folder(self, path: str, *, folder: int) -> None:
        """The empty folder is gone from the folder."""
        os.rmdir(path, dir_fd=folder)

    def close(self, descriptor: int) -> None:
        """The descriptor is no more."""
        os.close(descriptor)

    def process(self) -> int:
        """The number of the process that asks."""
        return process_number()

    def user(self) -> int:
        """The user that the process acts as."""
        return os.geteuid() if hasattr(os, "geteuid") else -1


def is_file(state: os.stat_result) -> bool:
    """A regular file: no link, no folder, no device."""
    return stat.S_ISREG(state.st_mode)


def is_folder(state: os.stat_result) -> bool:
    """A folder, not a link to one."""
    return stat.S_ISDIR(state.st_mode)


def is_same(one: os.stat_result, other: os.stat_result) -> bool:
    """Two names of one file."""
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
