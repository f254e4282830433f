"""git's own locks, held while files in its folder change: no git writes one of them meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from groundwire.documents.target import Plan
from groundwire.errors import HostError
from groundwire.targets.git.own import part_of

_INSIDE: Final = ".git/"
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


def locks_of(paths: Iterable[str]) -> tuple[str, ...]:
    """The lock files that git takes before it writes these paths of its folder.

    A reflog is written under the lock of its ref. What git writes without a lock has none.
    """
    found: set[str] = set()
    for path in paths:
        match part_of(path):
            case "ref":
                found.add(f"{path}.lock")
            case "log":
                found.add(f"{path.removeprefix('logs/')}.lock")
            case "index":
                found.add("index.lock")
            case _:
                pass
    return tuple(sorted(found))


@contextmanager
def locked(folder: str, paths: Sequence[str], write: str) -> Iterator[None]:
    """No git writes these paths of the git folder in here; none is waited for.

    Each lock says which write took it, so that `remove_locks` can tell it after a death.

    Raises:
        HostError: `git-locked`: a git is at work, or one died there.
    """
    taken: list[Path] = []
    try:
        for lock in locks_of(paths):
            path = Path(folder, lock)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                descriptor = os.open(path, _FLAGS, 0o644)
            except OSError as error:
                raise HostError(
                    "git-locked",
                    f"{path} cannot be taken ({error.strerror or error}): another git is at work"
                    " there, or one has died. Nothing was written.",
                ) from error
            taken.append(path)
            try:
                os.write(descriptor, write.encode())
            finally:
                os.close(descriptor)
        yield
    finally:
        for path in taken:
            with suppress(OSError):
                path.unlink()


def remove_locks(plan: Plan) -> None:
    """The locks that an interrupted write of files left in `.git` are gone; no other's is touched."""
    inside = [
        step.path.removeprefix(_INSIDE) for step in plan.steps if step.path.startswith(_INSIDE)
    ]
    for lock in locks_of(inside):
        path = Path(plan.root, _INSIDE, lock)
        with suppress(OSError):
            if not path.is_symlink() and path.read_bytes() == plan.write.encode():
                path.unlink()
