"""Staged files: whole and durable beside their target, under a name of their own."""

from __future__ import annotations

import stat
from contextlib import suppress

from groundwire.canon.digest import sha256
from groundwire.documents.target import Present, Step
from groundwire.errors import HostError
from groundwire.targets.disk.measuring import digest_of_attributes
from groundwire.targets.disk.system import Disk
from groundwire.targets.files.ground import last
from groundwire.targets.refusing import drifted


def stage(disk: Disk, folder: int, step: Step, content: bytes, held: str) -> Present:
    """A new file `held` has the content, and mode, owner and attributes of the one it is to replace.

    Where there is none, the system decides; `step.mode` goes first in both. It is on the medium.
    Inode flags (chattr) and times are not carried over.

    Raises:
        GuardError: `state-drifted`: the file whose attributes it is to have is gone.
        HostError: `attributes-not-kept`: nothing stands there. Also raises `OSError`.
    """
    like = step.state if isinstance(step.state, Present) and step.kind != "created" else None
    descriptor = disk.create(held, folder, 0o666 if like is None else 0o600)
    try:
        disk.write(descriptor, content)
        if like is not None:
            _take_over(disk, descriptor, folder, step, like)
        mode = step.mode if step.mode is not None or like is None else like.mode
        if mode is not None:
            disk.set_mode(descriptor, mode)
        disk.sync(descriptor)
        return _token(disk, descriptor, content)
    except BaseException:
        with suppress(OSError):
            disk.remove(held, folder)
        raise
    finally:
        disk.close(descriptor)


def _take_over(disk: Disk, descriptor: int, folder: int, step: Step, like: Present) -> None:
    try:
        own = disk.state(descriptor)
        if (own.st_uid, own.st_gid) != (like.owner, like.group):
            disk.set_owner(descriptor, like.owner, like.group)
        inherited = dict(disk.attributes(descriptor))
        wanted = dict(_attributes_at(disk, folder, step) if like.attributes else ())
        for name in inherited.keys() - wanted.keys():  # of the folder's own default access list
            disk.remove_attribute(descriptor, name)
        for name, value in wanted.items():
            if inherited.get(name) != value:
                disk.set_attribute(descriptor, name, value)
    except FileNotFoundError as error:
        raise drifted(step.path) from error
    except OSError as error:
        raise HostError(
            "attributes-not-kept",
            f"The owner or the attributes of {step.path} cannot be given to its new content"
            f" ({error.strerror or error}); nothing was written. Write it as its owner.",
        ) from error


def _attributes_at(disk: Disk, folder: int, step: Step) -> tuple[tuple[str, bytes], ...]:
    original = disk.open_file(last(step.path), folder)
    try:
        return disk.attributes(original)
    finally:
        disk.close(original)


def _token(disk: Disk, descriptor: int, content: bytes) -> Present:
    state = disk.state(descriptor)
    return Present(
        digest=sha256(content),
        size=len(content),
        mode=stat.S_IMODE(state.st_mode),
        owner=state.st_uid,
        group=state.st_gid,
        attributes=digest_of_attributes(disk.attributes(descriptor)),
        device=state.st_dev,
        inode=state.st_ino,
        generation=disk.generation(descriptor),
        links=state.st_nlink,
    )
