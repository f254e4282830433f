"""Names given only where nothing stands."""

from __future__ import annotations

import errno
from typing import Final

from groundwire.documents.target import Guarantee
from groundwire.targets.disk.system import NOT_THERE, Disk

_NO_LINKS: Final = NOT_THERE | {errno.EPERM, errno.EMLINK}


def settle_new(disk: Disk, old: str, folder: int, new: str, to_folder: int) -> Guarantee:
    """The file has the new name, which nothing stood at, and the old one no more.

    Where the system cannot do both at once the file has both names for a moment; where it has no
    hard links either, the name is looked at first and what comes in between is lost: `non-atomic`.

    Raises `OSError`, `FileExistsError` among them: then nothing was done.
    """
    try:
        disk.move_new(old, folder, new, to_folder)
        return "exchange-detected"
    except OSError as error:
        if error.errno not in NOT_THERE:
            raise
    try:
        disk.link(old, folder, new, to_folder)
        disk.remove(old, folder)
        return "exchange-detected"
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
    try:
        disk.state_at(new, to_folder)
    except FileNotFoundError:
        disk.rename(old, folder, new, to_folder)
        return "non-atomic"
    raise FileExistsError(errno.EEXIST, "the name is taken", new)
