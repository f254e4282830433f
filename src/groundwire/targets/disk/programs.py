"""Programs that run outside of every sandbox: found where no guarded tool can have put them."""

from __future__ import annotations

import os
import shutil


def path_outside(folder: str, path: str) -> str:
    """The entries of a search path that are whole paths and do not lead into the folder.

    A folder for programs in the working folder (`.venv/bin`, `node_modules/.bin`) is one that every
    tool and every staged command writes: a `git` that was put there is not the one that was meant.
    """
    top = os.path.realpath(folder)
    return os.pathsep.join(
        entry
        for entry in path.split(os.pathsep)
        if os.path.isabs(entry) and not is_in(os.path.realpath(entry), top)
    )


def program_outside(name: str, folder: str, path: str) -> str | None:
    """The program of this name as a whole path, by the search path; None where there is none.

    Of what a link leads to it is asked whether it lies in the folder; what a program starts is not.
    """
    top = os.path.realpath(folder)
    for entry in path_outside(folder, path).split(os.pathsep):
        found = shutil.which(name, path=entry) if entry else None
        if found is not None and not is_in(os.path.realpath(found), top):
            return found
    return None


def is_in(real: str, folder: str) -> bool:
    """Whether the one real path is the other, or lies below it."""
    return real == folder or real.startswith(folder.rstrip("/") + "/")
