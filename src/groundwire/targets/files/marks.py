"""Marks: which file was put at a name, told without reading it.

A file that its owner may not read any more (`chmod -r`) cannot be compared by its bytes once it
stands. It can still be told whether it is the one that was put there and whether anybody has
written to it since: by what the system says of it.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import msgspec

from groundwire.documents.target import Present, Seen, Written
from groundwire.errors import GroundwireError
from groundwire.targets.disk.walking import Root
from groundwire.targets.files.ground import last


class Mark(msgspec.Struct, frozen=True):
    """What the system says of a file: which one it is, its size and bits, when it last changed."""

    device: int
    inode: int
    size: int
    mode: int
    owner: int
    group: int
    modified: int
    changed: int


Marks: TypeAlias = Mapping[str, Mark]
"""By the path below the root."""


def marks_of(written: Written, root: Root) -> Marks:
    """The marks of the files of a write that their owner may not read, while they are what was put.

    To be taken as soon as the write stands: what happens to a file before is not told by its mark.
    """
    return dict(_marks(written, root))


def seen_by(mark: Mark, path: str, root: Root) -> Seen:
    """What can be said of the file without its bytes: that it is the very one, or is another.

    `token-match` rests on the system's times: whoever sets them back is not seen.
    """
    now = _mark(path, root)
    if now == mark:
        return "token-match"
    if now is None or (now.size, now.mode) == (mark.size, mark.mode):
        return "not-observed"
    return "drift"


def _marks(written: Written, root: Root) -> Iterator[tuple[str, Mark]]:
    for step, state in zip(written.plan.steps, written.states, strict=True):
        if not isinstance(state, Present) or state.mode & stat.S_IRUSR:
            continue
        path = step.to or step.path
        mark = _mark(path, root)
        if mark is not None and _is_of(mark, state):
            yield path, mark


def _is_of(mark: Mark, state: Present) -> bool:
    token = (state.device, state.inode, state.size, state.mode, state.owner, state.group)
    return token == (mark.device, mark.inode, mark.size, mark.mode, mark.owner, mark.group)


def _mark(path: str, root: Root) -> Mark | None:
    try:
        with root.open_parent(path) as folder:
            if folder is None:
                return None
            found = root.disk.state_at(last(path), folder)
    except (GroundwireError, OSError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return Mark(
        device=found.st_dev, inode=found.st_ino, size=found.st_size,
        mode=stat.S_IMODE(found.st_mode), owner=found.st_uid, group=found.st_gid,
        modified=found.st_mtime_ns, changed=found.st_ctime_ns,
    )  # fmt: skip
