"""What a staged command did beside its files: folders, links of builds, and times.

None of it holds bytes that anybody could lose. It is done after the files stand, name by name
through open folders, and never over something else. It stands in the plan of the write, so that
what a process left undone that died in the middle is done by whoever recovers the write.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Final

from groundwire.documents.staged import Staged
from groundwire.documents.target import Plan, Recovered, Rest
from groundwire.errors import GroundwireError
from groundwire.targets.disk.system import Disk
from groundwire.targets.disk.walking import Root

_QUIET: Final = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT})


def rest_of(staged: Staged) -> Rest:
    """What the command did beside its files."""
    files = (*staged.changes, *staged.touched)
    return Rest(
        folders=staged.folders,
        links=tuple((link.path, link.to) for link in staged.links),
        removed=staged.removed,
        times=tuple((file.path, file.modified) for file in files if file.after is not None),
    )


def has_names(rest: Rest) -> bool:
    """Whether names are made or removed by it, and not times alone are set."""
    return bool(rest.folders or rest.links or rest.removed)


def apply_rest(rest: Rest, root: Root) -> tuple[str, ...]:
    """Folders, links and times are as the command left them; the paths of those that are not.

    A folder in which others have put something stays, and a name that is taken is left alone.
    """
    left = _apply_names(rest, root)
    for path, modified in rest.times:
        _set_time(path, modified, root, forward=False)
    return left


def recover_rest(plan: Plan, found: Recovered) -> Recovered:
    """What became of an interrupted write with what comes after its files: that is done now.

    Where its files do not stand nothing of the rest was begun, and nothing is done. A plan of no
    files did not land where none of its names is as it was to be. What cannot be done is among
    `left_alone`. Times of files that the write itself did not place are not set back: somebody
    may have written to them since.
    """
    rest = plan.rest
    if rest is None or found.stands == "before":
        return found
    root = Root(Path(plan.root), Disk())
    if not plan.steps and not any(_is_done(path, rest, root) for path in _names(rest)):
        return Recovered(write=plan.write, stands="before", left_alone=())
    left = _apply_names(rest, root)
    placed = {step.path for step in plan.steps} - {name.path for name in found.left_alone}
    for path, modified in rest.times:
        _set_time(path, modified, root, forward=path not in placed)
    alone = {*found.left_alone, *map(root.name, left)}
    return Recovered(write=plan.write, stands="after", left_alone=tuple(sorted(alone)))


def _names(rest: Rest) -> tuple[str, ...]:
    return (*rest.folders, *(path for path, _ in rest.links), *rest.removed)


def _is_done(path: str, rest: Rest, root: Root) -> bool:
    """Whether what the rest does at this path stands already."""
    links = dict(rest.links)
    made = path in rest.folders or links.get(path) is not None
    name = path.rpartition("/")[2]
    try:
        with root.open_parent(path) as folder:
            if folder is None:
                return not made
            try:
                mode = root.disk.state_at(name, folder).st_mode
            except FileNotFoundError:
                return not made
            if path in rest.folders:
                return stat.S_ISDIR(mode)
            return stat.S_ISLNK(mode) and root.disk.link_at(name, folder) == links.get(path)
    except (GroundwireError, OSError):
        return False


def _apply_names(rest: Rest, root: Root) -> tuple[str, ...]:
    left = [path for path in rest.folders if not _make_folder(path, root)]
    left += [path for path, to in rest.links if not _set_link(path, to, root)]
    left += [path for path in rest.removed if not _remove_folder(path, root)]
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


def _set_link(path: str, to: str | None, root: Root) -> bool:
    name = path.rpartition("/")[2]
    try:
        with root.open_parent(path) as folder:
            if folder is None:
                return to is None
            if to is None:
                root.disk.link_at(name, folder)  # raises where it is no link
                root.disk.remove(name, folder)
                return True
            try:
                os.symlink(to, name, dir_fd=folder)
            except FileExistsError:
                return root.disk.link_at(name, folder) == to
            return True
    except OSError as error:
        return to is None and error.errno in _QUIET
    except GroundwireError:
        return False


def _set_time(path: str, modified: int, root: Root, *, forward: bool) -> None:
    """Builds compare times. A time that cannot be set costs a build again, and nothing else.

    `forward`: one that is later already stays.
    """
    name = path.rpartition("/")[2]
    try:
        with root.open_parent(path) as folder:
            if folder is None:
                return
            if forward and root.disk.state_at(name, folder).st_mtime_ns > modified:
                return
            os.utime(name, ns=(modified, modified), dir_fd=folder, follow_symlinks=False)
    except (GroundwireError, OSError):
        return
