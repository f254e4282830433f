"""Disk: what the files target asks of the operating system, in one place, so a test can be one.

Every method raises `OSError`. Names are single names in `folder`, an open descriptor; no method
follows a symbolic link. `exchange` and `move_new` are Linux's renameat2(2).
"""

from __future__ import annotations

import array
import ctypes
import errno
import os
import stat
import sys
from functools import cache
from typing import Final

if sys.platform != "win32":
    import fcntl

_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK
# Not blocking: what stands there may have become a pipe that nobody writes to.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _NO_LINK
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK
_NO_REPLACE: Final = 1
_EXCHANGE: Final = 2
_GET_GENERATION: Final = 0x80087601  # FS_IOC_GETVERSION of linux/fs.h
# The signal of a lease that is broken. Its own default ends the process; this one's is to be
# ignored.
_QUIET_SIGNAL: Final = 23  # SIGURG
NOT_THERE: Final = frozenset(
    {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOTTY}
)
"""How a file system says that it has no such call."""
_CHUNK: Final = 1 << 20


class Disk:
    """The operating system itself."""

    def open_root(self, path: str) -> int:
        """A descriptor of the folder at an absolute path; links above it are followed."""
        return os.open(path, _FOLDER & ~getattr(os, "O_NOFOLLOW", 0))

    def open_folder(self, name: str, folder: int) -> int:
        """A descriptor of a folder, not of a link to one."""
        return os.open(name, _FOLDER, dir_fd=folder)

    def open_file(self, name: str, folder: int) -> int:
        """A descriptor to read the file itself with."""
        return os.open(name, _READ, dir_fd=folder)

    def create(self, name: str, folder: int, mode: int) -> int:
        """A descriptor of a new, empty file; the process's mask takes bits off its mode."""
        return os.open(name, _CREATE, mode, dir_fd=folder)

    def close(self, descriptor: int) -> None:
        """The descriptor is no more; its locks and leases neither."""
        os.close(descriptor)

    def read(self, descriptor: int, limit: int, expected: int = -1) -> bytes:
        """The first bytes of the file, at most `limit` and one.

        Where the first look for more than `expected` bytes gives exactly these, that was all.
        """
        chunks: list[bytes] = []
        left = limit + 1
        while left and (chunk := os.read(descriptor, wanted := min(left, _CHUNK))):
            chunks.append(chunk)
            left -= len(chunk)
            if len(chunks) == 1 and len(chunk) == expected < wanted:
                break
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def write(self, descriptor: int, data: bytes) -> None:
        """All of the bytes are in the file."""
        rest = memoryview(data)
        while rest:
            taken = os.write(descriptor, rest)
            if taken <= 0:
                raise OSError(errno.EIO, "the file takes no more bytes")
            rest = rest[taken:]

    def sync(self, descriptor: int) -> None:
        """What was written is on the medium, as far as the medium tells the truth."""
        os.fsync(descriptor)

    def state(self, descriptor: int) -> os.stat_result:
        """What an open file is."""
        return os.fstat(descriptor)

    def state_at(self, name: str, folder: int) -> os.stat_result:
        """What stands at a name, a link as itself."""
        return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def link_at(self, name: str, folder: int) -> str:
        """What a symbolic link says."""
        return os.readlink(name, dir_fd=folder)

    def names(self, folder: int) -> list[str]:
        """What stands in a folder."""
        return os.listdir(folder)

    def generation(self, descriptor: int) -> int | None:
        """Which of the files this is that had its inode number; None where nobody counts."""
        if sys.platform != "linux":
            return None
        answer = array.array("I", [0])
        try:
            fcntl.ioctl(descriptor, _GET_GENERATION, answer)
        except OSError:
            return None
        return answer[0]

    def attributes(self, descriptor: int) -> tuple[tuple[str, bytes], ...]:
        """The extended attributes in the order of their names, access lists among them."""
        if not hasattr(os, "listxattr"):
            return ()
        try:
            names = sorted(os.listxattr(descriptor))
        except OSError as error:
            if error.errno in NOT_THERE:
                return ()
            raise
        return tuple((name, os.getxattr(descriptor, name)) for name in names)

    def set_attribute(self, descriptor: int, name: str, value: bytes) -> None:
        """The file has the extended attribute."""
        os.setxattr(descriptor, name, value)

    def remove_attribute(self, descriptor: int, name: str) -> None:
        """The file has no such extended attribute."""
        os.removexattr(descriptor, name)

    def set_owner(self, descriptor: int, owner: int, group: int) -> None:
        """The file is theirs."""
        os.fchown(descriptor, owner, group)

    def set_mode(self, descriptor: int, mode: int) -> None:
        """The file has these permission bits, whatever the process's mask is."""
        os.fchmod(descriptor, mode)

    def is_open_for_writing(self, descriptor: int) -> bool:
        """Whether somebody has the file open to write to it.

        Where the file system or the file's owner allows no lease, nobody can say, and this says no.
        """
        return _writers(descriptor) is True

    def is_surely_closed(self, descriptor: int) -> bool:
        """Whether nobody has the file open to write to it; where nobody can say, this says no."""
        return _writers(descriptor) is False

    def exchange(self, one: str, other: str, folder: int) -> None:
        """Each name has the other's file, at once. Both have to be there."""
        _rename(one, folder, other, folder, _EXCHANGE)

    def move_new(self, old: str, folder: int, new: str, to_folder: int) -> None:
        """The file has the new name, which nothing stood at, and not the old one, at once."""
        _rename(old, folder, new, to_folder, _NO_REPLACE)

    def rename(self, old: str, folder: int, new: str, to_folder: int) -> None:
        """The file has the new name; what had it is gone, whatever it was."""
        os.rename(old, new, src_dir_fd=folder, dst_dir_fd=to_folder)

    def replace(self, old: str, new: str, folder: int) -> None:
        """`rename` within one folder."""
        self.rename(old, folder, new, folder)

    def link(self, old: str, folder: int, new: str, to_folder: int) -> None:
        """The file has the new name too, which nothing stood at."""
        os.link(old, new, src_dir_fd=folder, dst_dir_fd=to_folder, follow_symlinks=False)

    def remove(self, name: str, folder: int) -> None:
        """The name is gone."""
        os.unlink(name, dir_fd=folder)

    def make_folder(self, name: str, folder: int) -> None:
        """A folder stands there, where nothing stood."""
        os.mkdir(name, dir_fd=folder)

    def remove_folder(self, name: str, folder: int) -> None:
        """The empty folder is gone."""
        os.rmdir(name, dir_fd=folder)

    def lock(self, descriptor: int) -> None:
        """Nobody else has the lock of this file until it is closed or its process dies."""
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def open_lock(self, path: str) -> int:
        """A descriptor of a file that is there to be locked; made where there is none."""
        return os.open(path, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o600)

    def wait_for_lock(self, descriptor: int) -> None:
        """Nobody else has the lock of this file, after whoever had it let go."""
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def is_plain(state: os.stat_result) -> bool:
    """A regular file: no link, folder, device, pipe or socket."""
    return stat.S_ISREG(state.st_mode)


def _writers(descriptor: int) -> bool | None:
    """Whether somebody has the file open to write to it; None where nobody can say."""
    if sys.platform != "linux":
        return None
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, _QUIET_SIGNAL)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return True if error.errno in {errno.EAGAIN, errno.EBUSY} else None
    fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False


@cache
def _renameat2() -> ctypes._NamedFuncPointer | None:
    if sys.platform != "linux":
        return None
    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is not None:
        function.argtypes = (
            ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint,
        )  # fmt: skip
    return function


def _rename(old: str, folder: int, new: str, to_folder: int, flags: int) -> None:
    function = _renameat2()
    if function is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if function(folder, os.fsencode(old), to_folder, os.fsencode(new), flags):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), old)
