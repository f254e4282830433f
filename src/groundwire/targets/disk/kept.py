"""Before-images: what files held before they were changed, kept by digest within bounds.

A folder of 0600 files, each named by the hex digits of its SHA-256. What is read is compared with
its name, so a torn or altered image is not there. One process may prune what another has just
kept; the oldest go first, so only under a bound that is too small for both.
"""

from __future__ import annotations

import os
import stat
import threading
import weakref
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from groundwire.canon.digest import raw, sha256
from groundwire.documents.target import Present
from groundwire.errors import HostError
from groundwire.targets.disk.batching import sync_file_system
from groundwire.targets.disk.system import Disk, is_plain

_HEX: Final = frozenset("0123456789abcdef")
_MANY: Final = 8
_SPARE: Final = 16
"""What part of the total becomes free when it is exceeded: the folder is not gone through each time.

Not at the cost of what was kept within the last hour: a write may still be counting on it.
"""
_YOUNG: Final = 3600.0


class KeptBounds(msgspec.Struct, frozen=True, kw_only=True):
    """`each` and `total` in bytes, `age` in seconds since an image was last kept."""

    each: int = 8 << 20
    total: int = 256 << 20
    age: float = 30 * 24 * 3600.0


class KeptFiles:
    """The images in one folder. `now` gives seconds since 1970.

    Raises, when it is made:
        HostError: `kept-folder-unsafe`: a link, no folder, another user's or open to others;
            `kept-failed`.
    """

    def __init__(
        self,
        folder: Path,
        now: Callable[[], float],
        bounds: KeptBounds | None = None,
        disk: Disk | None = None,
    ) -> None:
        self.folder = folder
        self._now = now
        self._bounds = bounds or KeptBounds()
        self._disk = disk or Disk()
        self._lock = threading.Lock()
        self._handle = _open_private(folder)
        # Whoever forgets to close it holds no descriptor once it is forgotten itself.
        self._let_go = weakref.finalize(self, self._disk.close, self._handle)
        self._device = self._disk.state(self._handle).st_dev
        self._total = 0
        self.prune()

    def close(self) -> None:
        """The folder is let go; closing twice is closing once."""
        self._handle = -1
        self._let_go()

    def keep(self, data: bytes) -> str | None:
        """The digest under which the bytes are kept from now on; None where they are too large.

        They survive the death of the process at once, a power cut when the system has put them on
        the medium by itself: `wait_for` waits for that. Kept again, an image is young again.

        Raises:
            HostError: `kept-failed`.
        """
        if len(data) > min(self._bounds.each, self._bounds.total):
            return None
        digest = sha256(data)
        name = raw(digest).hex()
        try:
            if not self._refreshed(name, data):
                self._write(name, data)
        except OSError as error:
            raise self._failed(error) from error
        return digest

    def takes(self, token: Present) -> bool:
        """Whether a file with this token may become an image itself: see `take`."""
        return (
            token.links == 1
            and token.owner == os.geteuid()
            and token.device == self._device
            and token.size <= min(self._bounds.each, self._bounds.total)
        )

    def take(self, name: str, folder: int, token: Present) -> bool:
        """The file itself is the image of its bytes from now on, and its name in the folder is gone.

        False, and nothing was done: where it is another file than the token's, has more names than
        one, is another user's, or lies on another file system. To be asked for when the bytes were
        compared and nobody had the file open to write: whoever has would write into the image. The
        bytes that are read from an image are compared again.
        """
        if not self.takes(token):
            return False
        image = raw(token.digest).hex()
        try:
            state = self._disk.state_at(name, folder)
            is_it = (state.st_dev, state.st_ino) == (token.device, token.inode)
            if not is_it or state.st_nlink != 1 or state.st_size != token.size:
                return False
            self._disk.rename(name, folder, image, self._handle)
        except OSError:
            return False
        with suppress(OSError):  # nobody else comes into this folder
            moment = self._now()
            os.utime(image, (moment, moment), dir_fd=self._handle, follow_symlinks=False)
            os.chmod(image, 0o600, dir_fd=self._handle)
        self._grew(token.size)
        return True

    def wait_for(self, digests: Collection[str]) -> None:
        """The images are on the medium: each by itself, or many of them together.

        Raises:
            EncodingError: `bad-digest`. HostError: `kept-failed`.
        """
        try:
            if len(digests) >= _MANY and sync_file_system(self._handle):
                return
            for digest in digests:
                self._await(raw(digest).hex())
        except OSError as error:
            raise self._failed(error) from error

    def has(self, digest: str) -> bool:
        """Whether these bytes are kept, whole.

        Raises:
            EncodingError: `bad-digest`.
        """
        return self.read(digest) is not None

    def read(self, digest: str) -> bytes | None:
        """The bytes with this digest; None where they are not kept, or not whole.

        Raises:
            EncodingError: `bad-digest`.
        """
        try:
            data = self._read(raw(digest).hex())
        except OSError:
            return None
        return data if data is not None and sha256(data) == digest else None

    def prune(self) -> None:
        """Nothing is older than the age, and all of it is within the total, the oldest gone first.

        Raises:
            HostError: `kept-failed`.
        """
        with self._lock:
            try:
                self._total = self._prune()
            except OSError as error:
                raise self._failed(error) from error

    # -- inside -------------------------------------------------------------------------------

    def _prune(self, spare: int = 0) -> int:
        found: list[tuple[float, int, str]] = []
        for name in self._disk.names(self._handle):
            with suppress(FileNotFoundError):
                state = self._disk.state_at(name, self._handle)
                if is_plain(state) and _is_ours(name):
                    found.append((state.st_mtime, state.st_size, name))
        found.sort()
        total = sum(size for _, size, _ in found)
        now, most = self._now(), self._bounds.total
        oldest = now - self._bounds.age
        for kept_at, size, name in found:
            least = most - (spare if kept_at < now - _YOUNG else 0)
            if kept_at >= oldest and total <= least:
                break
            with suppress(FileNotFoundError):
                self._disk.remove(name, self._handle)
            total -= size
        return total

    def _refreshed(self, name: str, data: bytes) -> bool:
        """Whether the image stands there whole already; its age then begins anew."""
        if self._read(name) != data:
            return False
        moment = self._now()
        os.utime(name, (moment, moment), dir_fd=self._handle, follow_symlinks=False)
        return True

    def _await(self, name: str) -> None:
        descriptor = self._disk.open_file(name, self._handle)
        try:
            self._disk.sync(descriptor)
        finally:
            self._disk.close(descriptor)
        self._disk.sync(self._handle)

    def _write(self, name: str, data: bytes) -> None:
        part = f"{name}.{os.getpid()}.{threading.get_ident()}"
        with suppress(FileNotFoundError):  # of a process and thread of these numbers that crashed
            self._disk.remove(part, self._handle)
        descriptor = self._disk.create(part, self._handle, 0o600)
        try:
            self._disk.set_mode(descriptor, 0o600)
            self._disk.write(descriptor, data)
            moment = self._now()
            os.utime(descriptor, (moment, moment))
        finally:
            self._disk.close(descriptor)
        self._disk.replace(part, name, self._handle)
        self._grew(len(data))

    def _grew(self, size: int) -> None:
        with self._lock:
            self._total += size
            if self._total > self._bounds.total:
                self._total = self._prune(self._bounds.total // _SPARE)

    def _read(self, name: str) -> bytes | None:
        try:
            descriptor = self._disk.open_file(name, self._handle)
        except FileNotFoundError:
            return None
        try:
            state = self._disk.state(descriptor)
            if not is_plain(state) or state.st_size > self._bounds.each:
                return None
            return self._disk.read(descriptor, state.st_size)
        finally:
            self._disk.close(descriptor)

    def _failed(self, error: OSError) -> HostError:
        return HostError(
            "kept-failed",
            f"What files held before cannot be kept in {self.folder} ({error.strerror or error});"
            " see to the folder, or name another.",
        )


def _is_ours(name: str) -> bool:
    """An image, or a half-written one that a crash left."""
    return len(name) >= 64 and set(name[:64]) <= _HEX


def _open_private(folder: Path) -> int:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(folder, flags)
    except OSError as error:
        raise HostError(
            "kept-folder-unsafe",
            f"{folder} is no folder of its own ({error.strerror}); name a folder to keep in.",
        ) from error
    found = os.fstat(handle)
    if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
        os.close(handle)
        raise HostError(
            "kept-folder-unsafe",
            f"{folder} belongs to another user or is open to others; name another folder, or run"
            f" `chmod 700 {folder}` if nobody else has been there.",
        )
    return handle
