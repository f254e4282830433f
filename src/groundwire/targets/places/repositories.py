"""Repositories of git under whatever name: what in them says what git runs.

`.git` is known by its name. A folder of any other name is a repository by what stands in it: one
that was cloned bare, or that a `.git` file names.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from groundwire.targets.places.patterns import folded
from groundwire.targets.places.protected import What

_LONGEST: Final = 8192
_FOLDERS: Final[dict[str, What]] = {"hooks": "git-hooks"}
_FILES: Final[dict[str, What]] = {
    "config": "git-config",
    "config.worktree": "git-config",
    "commondir": "git-config",
}


def own_parts(repository: Path) -> tuple[tuple[What, Path], ...]:
    """What in the repository says what git runs, whether it stands there or not."""
    named = {**_FOLDERS, **_FILES}
    return tuple((what, repository / name) for name, what in named.items())


def repository_part(path: str) -> What | None:
    """What of a repository's own the path is, by the folders that stand there now; None for nothing.

    Takes a whole path. Does not know a repository that is still to be made.
    """
    parts = path.split("/")
    for at, part in enumerate(parts[1:], 1):
        name = folded(part)
        what = _FOLDERS.get(name) or (_FILES.get(name) if at == len(parts) - 1 else None)
        if what is not None and _is_repository("/".join(parts[:at]) or "/"):
            return what
    return None


def repositories_named(folder: Path) -> tuple[Path, ...]:
    """The folders that a `.git` file names, in the folder or the nearest one above that has one.

    That of the working tree, and the one that it shares with others. None where `.git` is a folder
    or cannot be read.
    """
    for above in (folder, *folder.parents):
        if os.path.isdir(above / ".git"):
            return ()
        named = _line(above / ".git").removeprefix("gitdir:").strip()
        if named:
            own = above / named
            shared = _line(own / "commondir")
            return (own, own / shared) if shared else (own,)
    return ()


def _line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return os.fsdecode(file.read(_LONGEST)).rstrip("\n")
    except (OSError, ValueError):
        return ""


def _is_repository(folder: str) -> bool:
    """Whether git takes the folder for one: its own, or that of a working tree beside another."""
    if not os.path.lexists(f"{folder}/HEAD"):
        return False
    if os.path.lexists(f"{folder}/commondir"):
        return True
    return os.path.isdir(f"{folder}/objects") and os.path.isdir(f"{folder}/refs")
