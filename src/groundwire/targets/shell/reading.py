"""What a command left in the upper layer of its overlay, name by name, against the folder below.

Read once every process of the command is ended. A whiteout stands for what is gone, an opaque
folder hides all that was in it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from groundwire.documents.staged import DeniedChange, DeniedKind, StagedFile, StagedLink
from groundwire.errors import GuardError, HostError
from groundwire.targets.disk.measuring import LARGEST

_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NO_LINK
FILE: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _NO_LINK
_OVERLAY: Final = "user.overlay."
_ESCAPED: Final = "user.overlay.overlay."
_OPAQUE: Final = "user.overlay.opaque"
_OF_THE_SYSTEM: Final = frozenset({"security.selinux"})
"""What a file system gives each file by where it lies."""
_INHERITED: Final = frozenset({"system.posix_acl_access", "system.posix_acl_default"})
_DEEPEST: Final = 200
_KINDS: Final[tuple[tuple[int, DeniedKind], ...]] = (
    (stat.S_IFLNK, "symlink"),
    (stat.S_IFCHR, "device"),
    (stat.S_IFBLK, "device"),
    (stat.S_IFIFO, "pipe"),
    (stat.S_IFSOCK, "socket"),
)


class Upper:
    """Every difference that the layer makes; filled by `read`.

    `most` bounds the bytes of all new contents together, `changes` how many names differ. Whether others changed something meanwhile
    is not looked at here.
    """

    def __init__(self, most: int, changes: int) -> None:
        self.files: list[StagedFile] = []
        self.touched: list[StagedFile] = []
        self.links: list[StagedLink] = []
        self.folders: list[str] = []
        self.removed: list[str] = []
        self.denied: list[DeniedChange] = []
        self._left = most
        self._changes = changes
        self._changes_left = changes

    def read(self, upper: int, root: int) -> None:
        """The whole layer is read. Neither descriptor is closed.

        Raises:
            GuardError: `staged-too-large`, `too-many-changes`.
            HostError: `target-unreadable`.
        """
        try:
            self._folder("", upper, root)
        except OSError as error:
            raise HostError(
                "target-unreadable",
                f"What the command left cannot be read ({error.strerror or error});"
                " nothing of it was applied.",
            ) from error

    # -- inside -------------------------------------------------------------------------------

    def _folder(self, path: str, upper: int, lower: int | None) -> None:
        self._require_shallow(path)
        names = sorted(os.listdir(upper))
        for name in names:
            below = f"{path}/{name}" if path else name
            if not is_text(name):
                self._deny(below.encode(errors="replace").decode(), "bad-name")
                continue
            found = os.stat(name, dir_fd=upper, follow_symlinks=False)
            self._entry(below, name, found, upper, lower)
        if lower is not None and _attribute(upper, _OPAQUE) == b"y":
            for name in sorted(set(os.listdir(lower)) - set(names)):
                self._gone(f"{path}/{name}" if path else name, name, lower)

    def _entry(
        self, path: str, name: str, found: os.stat_result, upper: int, lower: int | None
    ) -> None:
        self._count()
        if stat.S_ISCHR(found.st_mode) and found.st_rdev == 0:
            self._gone(path, name, lower)
        elif stat.S_ISDIR(found.st_mode):
            self._below(path, name, found, upper, lower)
        elif stat.S_ISREG(found.st_mode):
            self._file(path, name, found, upper, lower)
        elif stat.S_ISLNK(found.st_mode):
            if state_of(name, lower) is not None:
                self._deny(path, "symlink")
            else:
                self.links.append(StagedLink(path=path, to=os.readlink(name, dir_fd=upper)))
        else:
            self._deny(path, _kind(found.st_mode))

    def _below(
        self, path: str, name: str, found: os.stat_result, upper: int, lower: int | None
    ) -> None:
        before = state_of(name, lower)
        is_folder = before is not None and stat.S_ISDIR(before.st_mode)
        if before is None or not is_folder:
            if before is not None:
                self._gone(path, name, lower)
            self.folders.append(path)
            above = stat.S_IMODE(os.fstat(upper).st_mode)
            if stat.S_IMODE(found.st_mode) & ~(0o777 | (above & stat.S_ISGID)):
                self._deny(path, "setuid")
        elif stat.S_IMODE(before.st_mode) != stat.S_IMODE(found.st_mode):
            self._deny(path, "folder-mode")
        if before is not None and (before.st_uid, before.st_gid) != (found.st_uid, found.st_gid):
            self._deny(path, "owner")
        with open_below(name, upper, FOLDER, 0o700) as inner:
            if before is None or not is_folder or lower is None:
                self._folder(path, inner, None)
                return
            with open_below(name, lower, FOLDER) as outer:
                if _attributes(inner) != _attributes(outer):
                    self._deny(path, "attributes")
                self._folder(path, inner, outer)

    def _file(
        self, path: str, name: str, found: os.stat_result, upper: int, lower: int | None
    ) -> None:
        before = state_of(name, lower)
        if before is not None and not stat.S_ISREG(before.st_mode):
            if not stat.S_ISDIR(before.st_mode):
                self._deny(path, _kind(before.st_mode))
                return
            self._gone(path, name, lower)
            before = None
        if found.st_nlink > 1:
            self._deny(path, "hard-link")
            return
        if found.st_mode & 0o7000:
            self._deny(path, "setuid")
            return
        if found.st_size > LARGEST:
            self._deny(path, "too-large")
            return
        self._left -= found.st_size
        if self._left < 0:
            raise GuardError(
                "staged-too-large",
                "The command wrote more than may be staged at once; nothing of it was applied. Let"
                " it write less, or raise the limit.",
            )
        with open_below(name, upper, FILE, 0o600) as opened:
            if before is None or lower is None:
                self._made(path, found, opened, upper)
            else:
                self._changed(path, name, found, before, opened, lower)

    def _made(self, path: str, found: os.stat_result, opened: int, upper: int) -> None:
        above = os.fstat(upper)
        if found.st_uid != os.geteuid() or found.st_gid not in {os.getegid(), above.st_gid}:
            self._deny(path, "owner")
        elif _attributes(opened).keys() - _INHERITED:
            self._deny(path, "attributes")
        else:
            self.files.append(
                StagedFile(
                    path=path,
                    after=_read(opened, found.st_size),
                    mode=stat.S_IMODE(found.st_mode),
                    modified=found.st_mtime_ns,
                )
            )

    def _changed(
        self,
        path: str,
        name: str,
        found: os.stat_result,
        before: os.stat_result,
        opened: int,
        lower: int,
    ) -> None:
        if (found.st_uid, found.st_gid) != (before.st_uid, before.st_gid):
            self._deny(path, "owner")
            return
        with open_below(name, lower, FILE) as original:
            if _attributes(opened) != _attributes(original):
                self._deny(path, "attributes")
                return
            after = _read(opened, found.st_size)
            same = found.st_size == before.st_size and after == _read(original, before.st_size)
        mode = stat.S_IMODE(found.st_mode)
        staged = StagedFile(path=path, after=after, mode=mode, modified=found.st_mtime_ns)
        if not same or mode != stat.S_IMODE(before.st_mode):
            self.files.append(staged)
        elif found.st_mtime_ns != before.st_mtime_ns:
            self.touched.append(staged)

    def _gone(self, path: str, name: str, lower: int | None) -> None:
        """What stands below is to be gone, with everything in it."""
        self._require_shallow(path)
        self._count()
        state = state_of(name, lower)
        if state is None or lower is None:
            return
        if stat.S_ISDIR(state.st_mode):
            with open_below(name, lower, FOLDER) as folder:
                for each in sorted(os.listdir(folder)):
                    if is_text(each):
                        self._gone(f"{path}/{each}", each, folder)
                    else:
                        self._deny(f"{path}/{each.encode(errors='replace').decode()}", "bad-name")
            self.removed.append(path)
        elif stat.S_ISLNK(state.st_mode):
            self.links.append(StagedLink(path=path, to=None))
        elif not stat.S_ISREG(state.st_mode):
            self._deny(path, _kind(state.st_mode))
        else:
            self.files.append(StagedFile(path=path, after=None, mode=None, modified=0))

    def _require_shallow(self, path: str) -> None:
        if path.count("/") > _DEEPEST:
            raise GuardError(
                "staged-too-large",
                f"The command made or removed folders over {_DEEPEST} deep; nothing of it was applied.",
            )

    def _count(self) -> None:
        self._changes_left -= 1
        if self._changes_left < 0:
            raise GuardError(
                "too-many-changes",
                f"The command changed over {self._changes} files and folders; nothing of it was"
                " applied. Let it change fewer at once.",
            )

    def _deny(self, path: str, kind: DeniedKind) -> None:
        self.denied.append(DeniedChange(path=path, kind=kind))


def is_text(name: str) -> bool:
    """Whether a name is UTF-8."""
    return not any("\ud800" <= letter <= "\udfff" for letter in name)


def _kind(mode: int) -> DeniedKind:
    for form, kind in _KINDS:
        if stat.S_IFMT(mode) == form:
            return kind
    return "device"


def state_of(name: str, folder: int | None) -> os.stat_result | None:
    """What stands at the name itself; None where nothing does, or there is no folder."""
    if folder is None:
        return None
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


@contextmanager
def open_below(name: str, folder: int, flags: int, forced: int | None = None) -> Iterator[int]:
    """A descriptor to read with; `forced` permissions are given to what denies them to its owner."""
    try:
        descriptor = os.open(name, flags, dir_fd=folder)
    except PermissionError:
        if forced is None:
            raise
        os.chmod(name, forced, dir_fd=folder)  # in the layer alone, where nobody else is
        descriptor = os.open(name, flags, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _attribute(descriptor: int, name: str) -> bytes | None:
    try:
        return os.getxattr(descriptor, name)
    except OSError:
        return None


def _attributes(descriptor: int) -> dict[str, bytes]:
    """The extended attributes that are not the overlay's own."""
    try:
        names = os.listxattr(descriptor)
    except OSError:
        return {}
    return {
        name: os.getxattr(descriptor, name)
        for name in names
        if name not in _OF_THE_SYSTEM
        and (not name.startswith(_OVERLAY) or name.startswith(_ESCAPED))
    }


def _read(descriptor: int, size: int) -> bytes:
    """The bytes of an open file from its beginning, at most one more than `size`."""
    data = bytearray()
    while len(data) <= size and (chunk := os.read(descriptor, size + 1 - len(data))):
        data += chunk
    return bytes(data)
