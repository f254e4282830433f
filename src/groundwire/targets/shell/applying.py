"""What a staged command did beside its files: folders, links of builds, and times.

None of it holds bytes that anybody could lose. It is done after the files stand, name by name
through open folders, and never over something else.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from typing import Final

from groundwire.documents.staged import Staged, StagedFile, StagedLink
from groundwire.errors import GroundwireError
from groundwire.targets.disk.walking import Root

_QUIET: Final = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT})


def apply_rest(staged: Staged, root: Root) -> tuple[str, ...]:
    """Folders, links and times are as the command left them; the paths of those that are not.

    A folder in which others have put something stays, and a name that is taken is left alone.
    """
    left = [path for path in staged.folders if not _make_folder(path, root)]
    left += [link.path for link in staged.links if not _set_link(link, root)]
    left += [path for path in staged.removed if not _remove_folder(path, root)]
    _set_times((*staged.changes, *staged.touched), root)
    return tuple(left)


def _make_folder(path: str, root: Root) -> bool:
    name = path.rpartition("/")[2]
    try:
        with root.open_parent(path) as folder:
            if folder is None:
                return False
            try:
                root.disk.make_folder(name, folder)
            except FileExistsError:
                return stat.S_ISDIR(root.disk.state_at(name, folder).st_mode)
            return True
    except (GroundwireError, OSError):
        return False


def _remove_folder(path: str, root: Root) -> bool:
    try:
        with root.open_parent(path) as folder:
            if folder is not None:
                root.disk.remove_folder(path.rpartition("/")[2], folder)
            return True
    except OSError as error:
        return error.errno == errno.ENOENT
    except GroundwireError:
        return False


def _set_link(link: StagedLink, root: Root) -> bool:
    name = link.path.rpartition("/")[2]
    try:
        with root.open_parent(link.path) as folder:
            if folder is None:
                return link.to is None
            if link.to is None:
                root.disk.link_at(name, folder)  # raises where it is no link
                root.disk.remove(name, folder)
                return True
            try:
                os.symlink(link.to, name, dir_fd=folder)
            except FileExistsError:
                return root.disk.link_at(name, folder) == link.to
            return True
    except OSError as error:
        return link.to is None and error.errno in _QUIET
    except GroundwireError:
        return False


def _set_times(files: Iterable[StagedFile], root: Root) -> None:
    """Builds compare times. A time that cannot be set costs a build again, and nothing else."""
    for file in files:
        if file.after is None:
            continue
        try:
            with root.open_parent(file.path) as folder:
                if folder is not None:
                    os.utime(
                        file.path.rpartition("/")[2],
                        ns=(file.modified, file.modified),
                        dir_fd=folder,
                        follow_symlinks=False,
                    )
        except (GroundwireError, OSError):
            continue
