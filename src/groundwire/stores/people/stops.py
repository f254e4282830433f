"""Stops on the disk: one small file for each stop, lift and opening, in a folder of this user's.

A file's name says what it is: `<id>.stop.json`, `<id>.lift.json`, `<id>.opening.json`. Nothing here
looks at a signature. Whoever can write the folder can take files away; see `session/guarding/people`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.canon.digest import sha256
from groundwire.documents.canonical import decode, encode
from groundwire.documents.entry import Envelope
from groundwire.errors import EncodingError, HostError
from groundwire.stores.private_folder import OTHERS_WRITE, PrivateFolder, open_private

Kind: TypeAlias = Literal["stop", "lift", "opening"]
Mark: TypeAlias = tuple[int, int, int]

MAX_FILE_BYTES: Final = 64 << 10
MAX_FILES: Final = 10_000
# Whatever ends like a stop is one; of the others only what has a name of ours.
_NAME: Final = re.compile(r"[^.].*\.(stop)\.json|[0-9a-f]{32}\.(lift|opening)\.json", re.DOTALL)
_ID: Final = re.compile(r"[0-9a-f]{32}")


class Paper(msgspec.Struct, frozen=True):
    """One file of the folder. NOT trusted.

    `digest` is the SHA-256 of its bytes, "" where they could not be read. `envelope` is None where
    they are none.
    """

    name: str
    kind: Kind
    digest: str
    envelope: Envelope | None


class StopFolder:
    """The stops of this user, in a folder of mode 0700, made with the first of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = os.fspath(folder)

    def mark(self) -> Mark | None:
        """Something that differs once a file was put here, or taken away; None without a folder.

        Two changes within one tick of the file system's clock may leave the same mark.

        Raises:
            HostError: `stops-unreadable`.
        """
        try:
            found = os.lstat(self._path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(self.folder, error.strerror or str(error)) from error
        return found.st_ino, found.st_mtime_ns, found.st_ctime_ns

    def papers(self) -> tuple[Paper, ...]:
        """Every stop, lift and opening, in order of their names. Other files are not looked at.

        Raises:
            HostError: `stops-unreadable`: the folder is not this user's alone, holds too much, or
                cannot be read.
        """
        with self._open(create=False) as folder:
            if folder is None:
                return ()
            names = [name for name in folder.names() if _kind_of(name) is not None]
            if len(names) > MAX_FILES:
                raise _unreadable(self.folder, f"it holds over {MAX_FILES} files")
            return tuple(_paper(folder, name) for name in names)

    def put(self, kind: Kind, id: str, envelope: Envelope) -> str:  # noqa: A002 -- the file's word
        """The envelope lies there, durable, under this id; its digest.

        Raises:
            HostError: `stops-unreadable`.
        """
        return self.put_bytes(kind, id, encode(envelope))

    def put_bytes(self, kind: Kind, id: str, data: bytes) -> str:  # noqa: A002 -- the file's word
        """As `put`, of any bytes: a stop that nobody could sign is one all the same.

        Raises:
            HostError: `stops-unreadable`.
        """
        name = f"{id}.{kind}.json"
        if not _ID.fullmatch(id):
            raise _unreadable(self.folder, f"{name[:80]!a} is no name of such a file")
        with self._open(create=True) as folder:
            if folder is None:
                raise _unreadable(self.folder, "it went away")
            with folder.locked():
                folder.write(name, data)
        return sha256(data)

    def put_away(self, paper: Paper) -> None:
        """The stop is kept under a name that is none of a stop: whoever begins now does not see it.

        Raises:
            HostError: `stops-unreadable`.
        """
        with self._open(create=False) as folder:
            if folder is not None:
                with folder.locked():
                    data = folder.read(paper.name, forbidden=OTHERS_WRITE, limit=MAX_FILE_BYTES)
                    if data is not None and sha256(data) == paper.digest:
                        folder.write(f"{paper.name.removesuffix('.stop.json')}.lifted.json", data)
                        folder.remove(paper.name)

    @contextmanager
    def _open(self, *, create: bool) -> Iterator[PrivateFolder | None]:
        try:
            with open_private(self.folder, create=create) as folder:
                yield folder
        except HostError as error:
            if error.reason == "stops-unreadable":
                raise
            raise _unreadable(self.folder, error.message) from error


def _paper(folder: PrivateFolder, name: str) -> Paper:
    kind = _kind_of(name) or "stop"
    try:
        data = folder.read(name, forbidden=OTHERS_WRITE, limit=MAX_FILE_BYTES)
    except HostError:
        data = None  # what cannot be read counts, and cannot be lifted while that is so
    if data is None:
        return Paper(name, kind, "", None)
    try:
        envelope = decode(data, Envelope)
    except EncodingError:
        envelope = None
    return Paper(name, kind, sha256(data), envelope)


def _kind_of(name: str) -> Kind | None:
    found = _NAME.fullmatch(name)
    match found and (found[1] or found[2]):
        case "stop":
            return "stop"
        case "lift":
            return "lift"
        case "opening":
            return "opening"
        case _:
            return None


def _unreadable(folder: Path, why: str) -> HostError:
    return HostError("stops-unreadable", f"{folder} cannot be used ({why}); see to that.")
