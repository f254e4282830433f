"""A folder that nobody but its owner can enter, held open, with files that are whole or not there.

Everything goes through the open folder, so that nobody can put another in its place in between.
Access lists beyond the mode bits, and what root may do, are not seen.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from groundwire.errors import HostError

if sys.platform != "win32":
    import fcntl

OTHERS: Final = 0o077
OTHERS_WRITE: Final = 0o022
_LOCK = "lock"
_PROJECT_MARKS = ("groundwire.toml", ".git")


class PrivateFolder:
    """An open folder of mode 0700 that belongs to this user; made by `open_private`."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def names(self) -> tuple[str, ...]:
        """The names in the folder, sorted.

        Raises:
            HostError: `key-store-failed`.
        """
        with _told(self.path, "cannot be listed"):
            return tuple(sorted(os.listdir(self._descriptor)))

    def read(self, name: str, *, forbidden: int, limit: int) -> bytes | None:
        """The bytes of a file; None where there is none.

        `forbidden` are the mode bits that it must not have.

        Raises:
            HostError: `key-file-unsafe`: no plain file, another user's, open to others, or over
                `limit` bytes; `key-store-failed`.
        """
        path = self.path / name
        # Not blocking: what stands there may be a pipe that nobody writes to.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with _told(path, "cannot be read"):
            try:
                descriptor = os.open(name, flags, dir_fd=self._descriptor)
            except FileNotFoundError:
                return None
            try:
                _check_file(path, os.fstat(descriptor), forbidden)
                with open(descriptor, "rb", closefd=False) as file:
                    data = file.read(limit + 1)
            finally:
                os.close(descriptor)
        if len(data) > limit:
            raise HostError("key-file-unsafe", f"{path} has over {limit} bytes: not our file.")
        return data

    def write(self, name: str, data: bytes) -> None:
        """The file holds exactly `data` and will after a power cut; before, what it held.

        To be called under `locked`: there is one name for a half-written file.

        Raises:
            HostError: `key-store-failed`: nothing of the new file is seen under its name, unless
                only the folder could not be synced.
        """
        half = f".{name}.new"
        with _told(self.path / name, "cannot be written"):
            with suppress(FileNotFoundError):  # left by a crash
                os.unlink(half, dir_fd=self._descriptor)
            try:
                self._write_half(half, data)
                os.replace(half, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
            except OSError:
                with suppress(OSError):
                    os.unlink(half, dir_fd=self._descriptor)
                raise
            os.fsync(self._descriptor)

    def remove(self, name: str) -> None:
        """No file of this name is there; what its blocks held on the disk is not overwritten.

        Raises:
            HostError: `key-store-failed`.
        """
        with _told(self.path / name, "cannot be removed"):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=self._descriptor)
            os.fsync(self._descriptor)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else is within `locked` of this folder, in this process or another.

        The kernel lets go of the lock when its holder dies.

        Raises:
            HostError: `key-file-unsafe`, `key-store-failed`.
        """
        path = self.path / _LOCK
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with _told(path, "cannot be locked"):
            descriptor = os.open(_LOCK, flags, 0o600, dir_fd=self._descriptor)
        try:
            _check_file(path, os.fstat(descriptor), OTHERS_WRITE)
            with _told(path, "cannot be locked"):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            try:
                yield
            finally:
                # Said aloud: a child forked meanwhile holds a copy, and closing ours frees nothing.
                fcntl.flock(descriptor, fcntl.LOCK_UN)
        finally:
            os.close(descriptor)

    def _write_half(self, half: str, data: bytes) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(half, flags, 0o600, dir_fd=self._descriptor)
        try:
            os.fchmod(descriptor, 0o600)  # whatever the umask
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            _make_durable(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def open_private(path: Path, *, create: bool) -> Iterator[PrivateFolder | None]:
    """The folder, open and private; None where there is none and none was to be made.

    A folder that is made gets mode 0700, and so do those above it that were missing.

    Raises:
        HostError: `key-folder-unsafe`: a link, no folder, another user's, open to others, or in a
            place where others could exchange it; `key-store-failed`; `unsupported-platform`.
    """
    if sys.platform == "win32":
        raise HostError(
            "unsupported-platform", "Keys are kept on Linux and macOS only; give a keyring file."
        )
    descriptor = _open_folder(path, create=create)
    if descriptor is None:
        yield None
        return
    try:
        _check_folder(path, os.fstat(descriptor))
        yield PrivateFolder(path, descriptor)
    finally:
        os.close(descriptor)


def refuse_in_project(folder: Path) -> None:
    """No folder above has the marks of a project; a tool could read what lies in one.

    A home folder may itself be a git work tree (of settings), and does not count for that. What
    else a tool may reach is not known here.

    Raises:
        HostError: `key-folder-in-project`.
    """
    home = Path(os.path.realpath(os.path.expanduser("~")))
    for above in Path(os.path.realpath(folder)).parents:
        for mark in _PROJECT_MARKS:
            if mark == ".git" and above == home:
                continue
            if os.path.lexists(above / mark):
                raise HostError(
                    "key-folder-in-project",
                    f"{folder} lies in the project {above}, where tools can reach it; set"
                    " XDG_STATE_HOME to a folder outside of every project.",
                )


def _open_folder(path: Path, *, create: bool) -> int | None:
    with _told(path, "cannot be opened"):
        if create:
            for folder in (*reversed(path.parents), path):
                with suppress(FileExistsError):
                    os.mkdir(folder, 0o700)
        if path.is_symlink():
            raise HostError(
                "key-folder-unsafe", f"{path} is a link; name the folder that it points to."
            )
        try:
            return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return None


def _check_folder(path: Path, found: os.stat_result) -> None:
    if found.st_uid != os.geteuid():
        raise HostError(
            "key-folder-unsafe",
            f"{path} belongs to user {found.st_uid}, not to {os.geteuid()}; name a folder of your"
            " own in XDG_STATE_HOME.",
        )
    if found.st_mode & OTHERS:
        raise HostError(
            "key-folder-unsafe",
            f"{path} is open to others (mode {stat.S_IMODE(found.st_mode):04o}); if nobody else"
            f" has been there, run `chmod 700 {path}`.",
        )
    with _told(path.parent, "cannot be looked at"):
        above = path.parent.stat()
    if above.st_mode & stat.S_IWOTH and not above.st_mode & stat.S_ISVTX:
        raise HostError(
            "key-folder-unsafe",
            f"Anybody can exchange {path}: everybody may write to {path.parent}; run"
            f" `chmod o-w {path.parent}`.",
        )


def _check_file(path: Path, found: os.stat_result, forbidden: int) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise HostError("key-file-unsafe", f"{path} is no plain file; move it away.")
    if found.st_uid != os.geteuid():
        raise HostError(
            "key-file-unsafe",
            f"{path} belongs to user {found.st_uid}, not to {os.geteuid()}; move it away.",
        )
    if found.st_mode & forbidden:
        raise HostError(
            "key-file-unsafe",
            f"{path} is open to others (mode {stat.S_IMODE(found.st_mode):04o}); run"
            f" `chmod 600 {path}`, and revoke the key if somebody else may have had it.",
        )


def _make_durable(descriptor: int) -> None:
    if sys.platform == "darwin":
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)  # fsync there leaves it in the disk's cache
    else:
        os.fsync(descriptor)


@contextmanager
def _told(path: Path, what: str) -> Iterator[None]:
    """What the system refuses in here becomes one HostError."""
    try:
        yield
    except OSError as error:
        raise HostError(
            "key-store-failed",
            f"{path} {what}: {error.strerror or error}; see to that and try again.",
        ) from error
