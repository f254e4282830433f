"""Folders of recordings, and small files in them: made so that they are whole or not there."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from groundwire.errors import HostError
from groundwire.stores.disk.system import APPEND, CREATE, READ, System, is_file

ATTACHMENTS = ".d"
"""What the folder of attached files is called, behind the recording's own name."""

_CHUNK = 1 << 20


def make_folders(folder: Path, system: System, *, ignored: bool = True) -> None:
    """The folder exists; where it had to be made it is 0700, and git sees nothing in it.

    Folders above it that had to be made are 0700 too. One that was there is left as it is.

    Raises:
        HostError: `recording-unwritable`.
    """
    missing: list[Path] = []
    while not folder.exists() and folder != folder.parent:
        missing.insert(0, folder)
        folder = folder.parent
    for each in missing:
        try:
            system.make_folder(str(each))
            if ignored and each == missing[-1]:
                descriptor = system.open_folder(str(each))
                try:
                    ignore_itself(descriptor, system)
                finally:
                    system.close(descriptor)
        except FileExistsError:
            continue  # another process was faster
        except OSError as error:
            raise unwritable(each, error) from error


def ignore_itself(folder: int, system: System) -> None:
    """Git sees nothing in the folder."""
    write_file(".gitignore", b"*\n", system, folder)


def write_file(name: str, data: bytes, system: System, folder: int) -> None:
    """A new 0600 file in the folder has these bytes, durably. Raises `OSError`."""
    descriptor = system.open(name, APPEND | CREATE, folder=folder)
    try:
        system.allow(descriptor, 0o600)
        rest = memoryview(data)
        while rest:
            taken = system.write(descriptor, rest)
            if taken <= 0:
                raise OSError(errno.EIO, "the file takes no more bytes")
            rest = rest[taken:]
        system.sync(descriptor)
    finally:
        system.close(descriptor)


def remove_if_there(name: str, system: System, folder: int) -> None:
    """The file is gone, or was never there. Raises `OSError`."""
    with suppress(FileNotFoundError):
        system.remove(name, folder=folder)


def sync_folder(folder: Path, system: System) -> None:
    """The names in the folder are durable. Raises `OSError`."""
    descriptor = system.open_folder(str(folder))
    try:
        system.sync(descriptor)
    finally:
        system.close(descriptor)


def unwritable(path: Path, error: OSError) -> HostError:
    """The error that says why no recording can be made there."""
    return HostError(
        "recording-unwritable",
        f"A recording cannot be made at {path} ({error.strerror}). Give a folder of your own.",
    )


def read_all(descriptor: int, system: System) -> bytes:
    """Everything from here to the end of an open file. Raises `OSError`."""
    chunks: list[bytes] = []
    while chunk := system.read(descriptor, _CHUNK):
        chunks.append(chunk)
    return b"".join(chunks)


def lines_of(data: bytes) -> list[bytes]:
    """The lines with their line feeds, the last maybe without. Only a line feed ends a line."""
    lines: list[bytes] = []
    start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        lines.append(data[start:end])
        start = end
    return lines


def attached_to(name: str, system: System, folder: int) -> Callable[[str], bytes | None]:
    """Loads a file that stands beside the recording `name` by its digest; None where it cannot."""

    def load(digest: str) -> bytes | None:
        try:
            inside = system.open_folder(name + ATTACHMENTS, folder=folder)
        except OSError:
            return None
        try:
            # Not blocking: what stands there may be a pipe that nobody writes to.
            flags = READ | getattr(os, "O_NONBLOCK", 0)
            descriptor = system.open(digest.removeprefix("sha256:"), flags, folder=inside)
        except OSError:
            return None
        finally:
            system.close(inside)
        try:
            plain = is_file(system.state(descriptor))
            return read_all(descriptor, system) if plain else None
        finally:
            system.close(descriptor)

    return load
