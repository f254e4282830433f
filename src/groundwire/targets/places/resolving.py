"""Paths as they really are: links read, folders and files by what they are on the disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

from groundwire.errors import HostError
from groundwire.targets.places.protected import Identity, Place

MOST_ENTRIES: Final = 50_000


def resolve(path: Path | str, search: Iterable[Path] = (), most: int = MOST_ENTRIES) -> Place:
    """The place that the path comes to now; it may become another at once.

    Where the file has more names than one, `search` is looked through for the others, at most
    `most` entries of it; how many were not found is said.

    Raises:
        HostError: `target-unreadable`.
    """
    asked = os.path.abspath(path)
    if "\0" in asked:
        raise HostError("target-unreadable", f"{asked!r} is no path; it has a null in it.")
    try:
        real, found, above = _without_links(asked) or _with_links(asked)
    except OSError as error:
        raise HostError(
            "target-unreadable", f"{asked} cannot be looked up ({error.strerror or error})."
        ) from error
    names = dict.fromkeys((asked, real))
    unfound = 0
    if found is not None and stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
        others = [name for name in _names_of(_identity(found), search, most) if name != real]
        names |= dict.fromkeys(others)
        unfound = max(0, found.st_nlink - 1 - len(set(others)))
    own = None if found is None else _identity(found)
    return Place(names=tuple(names), own=own, above=above, unfound=unfound)


def real_path(path: Path | str) -> str:
    """As `os.path.realpath`, at a third of its cost where no link is in the path."""
    asked = os.fspath(path)
    # To leave `..` out by the letters alone is to leave out a link before it.
    looked = None if ".." in asked else _without_links(os.path.abspath(asked))
    return os.path.realpath(asked) if looked is None else looked[0]


_Looked: TypeAlias = tuple[str, os.stat_result | None, tuple[Identity, ...]]
"""The real path, what stands there, and the identities of the folders above, the innermost first."""


def _with_links(asked: str) -> _Looked:
    real = os.path.realpath(asked)
    return real, _state(real), tuple(_identities_above(real))


def _without_links(asked: str) -> _Looked | None:
    """As `_with_links`, of a path that has no link in it, by one look at each name; None of others."""
    if asked[:1] != "/" or asked[:2] == "//":
        return None
    above: list[Identity] = []
    found: os.stat_result | None = None
    end, last = 0, len(asked)
    try:
        while end < last:
            # "/" first, then each name with all before it.
            end = 1 if end == 0 else asked.find("/", end + 1)
            end = last if end < 0 else end
            found = os.lstat(asked[:end])
            if stat.S_ISLNK(found.st_mode):
                return None
            if end < last:
                above.append(_identity(found))
    except (FileNotFoundError, NotADirectoryError):
        found = None
    except OSError:
        return None
    return asked, found, tuple(reversed(above))


def _state(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _identity(state: os.stat_result) -> Identity:
    return state.st_dev, state.st_ino


def _identities_above(real: str) -> Iterator[Identity]:
    folder, below = os.path.dirname(real), real
    while folder != below:
        state = _state(folder)
        if state is not None:
            yield _identity(state)
        folder, below = os.path.dirname(folder), folder


def _names_of(identity: Identity, search: Iterable[Path], most: int) -> Iterator[str]:
    """Every name of the file in the folders, without following a link."""
    seen: set[Identity] = set()
    left = most
    for top in search:
        todo = [os.path.realpath(top)]
        while todo:
            try:
                entries = list(os.scandir(todo.pop()))
            except OSError:
                continue
            left -= len(entries)
            if left < 0:
                return
            for entry in entries:
                if entry.is_symlink():
                    continue
                state = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(state.st_mode):
                    if _identity(state) not in seen:
                        seen.add(_identity(state))
                        todo.append(entry.path)
                elif _identity(state) == identity:
                    yield entry.path
