"""Staged: what a command did that ran once beside its working folder, before any of it is applied.

Paths are below the working folder, with `/` between the names; of a `GitChange` below its `.git`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Containment: TypeAlias = Literal["contained", "files-only", "none"]
"""What a canary measured of a staged command.

`contained`: it wrote nothing outside, read no hidden file, reached no socket, left no process.
`files-only`: it wrote and read nothing outside, and one of the others it could. `none`: it could
write or read outside.
"""
DeniedKind: TypeAlias = Literal[
    "symlink",
    "hard-link",
    "device",
    "pipe",
    "socket",
    "setuid",
    "owner",
    "attributes",
    "folder-mode",
    "too-large",
    "bad-name",
    "git-own",
    "protected",
]
"""A kind of change that no staged command makes.

`setuid` is any of setuid, setgid and sticky. `git-own`: in `.git`, what git does not write by
itself, or what says which programs git starts. `protected`: a place that no guarded tool writes.
"""


class StagedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A plain file that is to hold `after`; None: it is to be gone.

    `mode` are its permission bits, None where it is gone. `modified` is its time in nanoseconds.
    """

    path: str
    after: bytes | None
    mode: int | None
    modified: int


class StagedLink(msgspec.Struct, frozen=True, kw_only=True):
    """A symbolic link inside a folder of build products; `to` None: it is to be gone."""

    path: str
    to: str | None


class GitChange(msgspec.Struct, frozen=True, kw_only=True):
    """A file in `.git` that git writes by itself: what it held, what it is to hold.

    None: it was not there, or is not to be.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None


class DeniedChange(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """One change of a kind that is never made."""

    path: str
    kind: DeniedKind


class Output(msgspec.Struct, frozen=True, kw_only=True):
    """What a command printed, each stream up to a bound.

    A model is shown it only once the changes were allowed: it may hold what was to be decided on.
    """

    stdout: bytes
    stderr: bytes


class Staged(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a command and everything that it left.

    `exit` is its code, 128 and the signal's number where a signal ended it. `truncated`: it printed
    more than is in `output`. `folders` were made, `removed` are gone; a folder holds nothing by
    itself. `touched` are files whose time alone moved. `since` is the moment before the command
    began, in nanoseconds of the file system's clock: a file that changed later has drifted.
    """

    changes: tuple[StagedFile, ...]
    git: tuple[GitChange, ...]
    links: tuple[StagedLink, ...]
    folders: tuple[str, ...]
    removed: tuple[str, ...]
    touched: tuple[StagedFile, ...]
    denied: tuple[DeniedChange, ...]
    output: Output
    exit: int
    containment: Containment
    truncated: bool
    since: int
