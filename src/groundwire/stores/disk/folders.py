"""Folders of recordings, and small files in them: made so that they are whole or not there."""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path

from groundwire.errors import HostError
from groundwire.stores.disk.system import APPEND, CREATE, System


def make_folders(folder: Path, system: System) -> None:
    """The folder exists. Those that had to be made are 0700 and keep themselves out of git.

    Raises:
        HostError: `recording-unwritable`.
    """
    missing = []
    while not folder.exists() and folder != folder.parent:
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        try:
            system.make_folder(str(each))
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
