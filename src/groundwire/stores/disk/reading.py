"""Reading recordings from disk: also while they are being written, and whoever made them.

Nothing is locked, written or followed: a symbolic link, in place of the recording or of a file
beside it, is refused, for it may lead anywhere.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from groundwire.canon.digest import raw
from groundwire.documents.content import Content
from groundwire.documents.entry import Open
from groundwire.errors import EncodingError, HostError
from groundwire.recording.lines import LARGEST_LINE, decode_line
from groundwire.stores.disk.system import READ, System, is_file

ATTACHMENTS = ".d"

LARGEST_ATTACHMENT = 1 << 30
"""A file beside a recording that is larger is not read: it would have to fit into memory."""

_CHUNK = 1 << 20
_MOST_OPENING_LINES = 100
# Where a pipe stands in place of the file, opening it must not wait for a writer.
_READ = READ | getattr(os, "O_NONBLOCK", 0)


class RecordingFile:
    """A recording on disk, as it stood when it was opened: what is written later is not seen.

    `opening` is its opening entry, None where the file does not begin with one. Verifies nothing.
    """

    def __init__(self, path: Path, descriptor: int, size: int, system: System) -> None:
        self.path = path
        self.size = size
        self._descriptor = descriptor
        self._system = system
        self.opening = _opening(self.lines())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def lines(self) -> Iterator[bytes]:
        """The lines with their line feeds, the last maybe without; from the start at each call.

        A line that is longer than any may be comes in pieces, so that none fills the memory.

        Raises, while it is read:
            HostError: `recording-unreadable`.
        """
        reader = io.BufferedReader(_Prefix(self._descriptor, self.size, self._system), _CHUNK)
        try:
            yield from iter(partial(reader.readline, LARGEST_LINE + 2), b"")
        except OSError as error:
            raise _unreadable(self.path, error.strerror or str(error)) from error

    def file(self, digest: str) -> bytes | None:
        """The bytes of the file beside the recording that has this `sha256:` as its name.

        None where there is none, or something else than a plain file of a bearable size. That it
        has the bytes of its name is the verifier's to check.
        """
        try:
            name = raw(digest).hex()
        except EncodingError:
            return None
        try:
            descriptor = self._open_beside(name)
        except OSError:
            return None
        try:
            state = self._system.state(descriptor)
            if not is_file(state) or state.st_size > LARGEST_ATTACHMENT:
                return None
            with io.BufferedReader(_Prefix(descriptor, state.st_size, self._system)) as reader:
                return reader.read()
        except OSError:
            return None
        finally:
            self._system.close(descriptor)

    def close(self) -> None:
        """The file is let go; closing twice is closing once."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            self._system.close(descriptor)

    def _open_beside(self, name: str) -> int:
        folder = f"{self.path}{ATTACHMENTS}"
        if os.open not in os.supports_dir_fd:
            if Path(folder).is_symlink():
                raise OSError(errno.ELOOP, "a link")
            return self._system.open(str(Path(folder, name)), _READ)
        opened = self._system.open_folder(folder)
        try:
            return self._system.open(name, _READ, folder=opened)
        finally:
            self._system.close(opened)


class _Prefix(io.RawIOBase):
    """The first bytes of an open file, from its start: what is appended meanwhile is not seen."""

    def __init__(self, descriptor: int, size: int, system: System) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._left = size
        self._at = 0
        self._system = system

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # bytes in, bytes out: what the buffered reader gives
        wanted = min(len(buffer), self._left)
        if not wanted:
            return 0
        # Two readers may share the descriptor, so neither may rely on where it stands.
        os.lseek(self._descriptor, self._at, os.SEEK_SET)
        data = self._system.read(self._descriptor, wanted)
        buffer[: len(data)] = data
        self._at += len(data)
        self._left -= len(data)
        return len(data)


def open_to_read(path: Path, system: System | None = None) -> RecordingFile:
    """The recording at `path`, as it stands now, to be read.

    Raises:
        HostError: `recording-unreadable`: nothing is there, or no plain file that may be read.
    """
    system = system or System()
    try:
        descriptor = system.open(str(path), _READ)
    except OSError as error:
        raise _unreadable(path, _why(error)) from error
    try:
        return RecordingFile(path, descriptor, _size_of(path, descriptor, system), system)
    except BaseException as error:
        system.close(descriptor)
        if isinstance(error, OSError):
            raise _unreadable(path, _why(error)) from error
        raise


def segments_beside(path: Path) -> list[Path]:
    """Every recording in the folder of `path` that says it is of the same run, by segment.

    `path` itself is among them. Looks at opening entries only and verifies nothing; files that
    cannot be read are left out.

    Raises:
        HostError: `recording-unreadable`: `path` itself cannot be read.
    """
    with open_to_read(path) as file:
        opening = file.opening
    if opening is None:
        return [path]
    found = {path: opening.segment}
    for candidate in sorted(path.parent.glob("*.gw")):
        if candidate.name == path.name:
            continue
        try:
            with open_to_read(candidate) as file:
                other = file.opening
        except HostError:
            continue
        if other is not None and other.run == opening.run:
            found[candidate] = other.segment
    return sorted(found, key=lambda each: (found[each], each.name))


def _opening(lines: Iterator[bytes]) -> Open | None:
    """The first entry, if it is an opening entry that reads."""
    for number, line in enumerate(lines):
        if number == _MOST_OPENING_LINES or not line.endswith(b"\n"):
            return None
        try:
            document = decode_line(line[:-1])
        except EncodingError:
            return None
        if not isinstance(document, Content):
            return document if isinstance(document, Open) else None
    return None


def _size_of(path: Path, descriptor: int, system: System) -> int:
    state = system.state(descriptor)
    if not is_file(state):
        raise _unreadable(
            path, "it is a folder, a device or a pipe; name a recording, runs/<name>.gw"
        )
    return state.st_size


def _why(error: OSError) -> str:
    if error.errno in {errno.ELOOP, errno.EMLINK}:
        return "it is a symbolic link; name the file itself"
    return error.strerror or str(error)


def _unreadable(path: Path, why: str) -> HostError:
    return HostError("recording-unreadable", f"{path} cannot be read: {why}.")
