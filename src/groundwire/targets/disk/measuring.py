"""Tokens: what stands at a name in an open folder, measured through one descriptor."""

from __future__ import annotations

import errno
import os
import stat
from typing import Final

import msgspec

from groundwire.canon.digest import sha256
from groundwire.documents.target import Absent, Present, State, Unmeasurable
from groundwire.errors import GuardError
from groundwire.targets.disk.system import Disk, is_plain

LARGEST: Final = 64 << 20
"""A larger file is not read: whole contents are judged, and they have to fit into memory."""
_TRIES: Final = 3
_ABSENT: Final = Absent()


class Measured(msgspec.Struct, frozen=True):
    """A token, and the bytes it is of where it is of any."""

    state: State
    content: bytes | None = None


def measure(disk: Disk, folder: int | None, name: str, *, limit: int = LARGEST) -> Measured:
    """What stands at the name now; nothing in a folder that is not there.

    Bytes that change while they are read are no state: after three tries it is `changing`.

    Raises:
        GuardError: `path-is-link`, `not-a-file` (a folder, device, pipe or socket).
    """
    if folder is None:
        return Measured(_ABSENT)
    try:
        # Before it is opened, for opening a device may already do something.
        _require_plain(name, disk.state_at(name, folder))
        descriptor = disk.open_file(name, folder)
    except FileNotFoundError:
        return Measured(_ABSENT)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _is_link(name) from error
        return Measured(Unmeasurable(why="unreadable"))
    try:
        return measure_open(disk, name, descriptor, limit=limit)
    finally:
        disk.close(descriptor)


def measure_open(disk: Disk, name: str, descriptor: int, *, limit: int = LARGEST) -> Measured:
    """What the file is and holds now, which was opened just now and is read from its beginning.

    Raises:
        GuardError: `not-a-file`.
    """
    for attempt in range(_TRIES):
        before = disk.state(descriptor)
        _require_plain(name, before)
        if before.st_size > limit:
            return Measured(Unmeasurable(why="too-large"))
        try:
            if attempt:
                os.lseek(descriptor, 0, os.SEEK_SET)
            content = disk.read(descriptor, min(limit, before.st_size), before.st_size)
            attributes = digest_of_attributes(disk.attributes(descriptor))
        except OSError:
            return Measured(Unmeasurable(why="unreadable"))
        if len(content) > limit:
            return Measured(Unmeasurable(why="too-large"))
        if _stamp(before) == _stamp(disk.state(descriptor)) and len(content) == before.st_size:
            generation = disk.generation(descriptor)
            return Measured(_present(before, content, attributes, generation), content)
    return Measured(Unmeasurable(why="changing"))


def _present(
    state: os.stat_result, content: bytes, attributes: str, generation: int | None
) -> Present:
    return Present(
        digest=sha256(content),
        size=len(content),
        mode=stat.S_IMODE(state.st_mode),
        owner=state.st_uid,
        group=state.st_gid,
        attributes=attributes,
        device=state.st_dev,
        inode=state.st_ino,
        generation=generation,
        links=state.st_nlink,
    )


def digest_of_attributes(attributes: tuple[tuple[str, bytes], ...]) -> str:
    """The digest of every name and value, each behind its length as eight bytes; "" of none."""
    if not attributes:
        return ""
    parts = [part for name, value in attributes for part in (os.fsencode(name), value)]
    return sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts))


def _stamp(state: os.stat_result) -> tuple[int, int, int, int, int]:
    return state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_mode, state.st_nlink


def _require_plain(name: str, state: os.stat_result) -> None:
    if stat.S_ISLNK(state.st_mode):
        raise _is_link(name)
    if not is_plain(state):
        raise GuardError(
            "not-a-file", f"{name} is {_kind(state)}; only plain files are read and written."
        )


def _kind(state: os.stat_result) -> str:
    for is_kind, word in _KINDS:
        if is_kind(state.st_mode):
            return word
    return "no file"


_KINDS: Final = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)


def _is_link(name: str) -> GuardError:
    return GuardError(
        "path-is-link",
        f"{name} is a symbolic link; name the file itself. Links are not deleted, moved or"
        " followed here.",
    )
