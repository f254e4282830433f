"""Unseen: files in commits and in the index that never stood in the working folder.

What stands in the folder is judged file by file. Without this a command could put a change into
history alone (`git update-index --cacheinfo`, `git commit-tree`) and nothing would have judged it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from groundwire.canon.digest import raw, sha256
from groundwire.documents.staged import GitChange
from groundwire.targets.git.staged.leaving import Refs
from groundwire.targets.git.staged.shadow import Shadow

Contents: TypeAlias = Callable[[str], Sequence[bytes | None]]
"""What a path of the working folder held, and what it is to hold."""

_POINTER: Final = re.compile(
    rb"version https://\S+/spec/v1\n.*?oid sha256:([0-9a-f]{64})\n", re.DOTALL
)
_LINK: Final = b"120000"
_FILES: Final = (b"100644", b"100755", _LINK)


def unseen_files(
    shadow: Shadow,
    index: GitChange | None,
    before: Refs,
    after: Refs,
    root: str,
    contents: Contents,
) -> tuple[str, ...]:
    """Paths at which a ref's new commit, or the index, has bytes that were not in the folder there.

    Only the commit that a ref comes to is looked at, not those on the way; and not what a ref led to
    before. Line ends that git makes alike and the pointers of git-lfs are read as what they stand
    for. What a commit leaves out while the folder keeps it is not seen.

    Raises:
        HostError: `git-missing`, `git-failed`.
    """
    known = set(before.values())
    tips = {value for ref, value in after.items() if before.get(ref) != value} - known
    entries = list(_staged(shadow, index))
    new = shadow.led_to({*tips, *(blob for _, blob, _ in entries)}, known)
    for tip in sorted(tips):
        entries += _tree(shadow, tip)
    found = {
        path.decode("utf-8", "surrogateescape")
        for mode, blob, path in dict.fromkeys(entries)
        if blob in new
        and mode in _FILES
        and not _was_there(shadow, mode, blob, path, root, contents)
    }
    return tuple(sorted(found))


def entries_of(shadow: Shadow, index: bytes) -> tuple[bytes, ...] | None:
    """The entries of an index: mode, object, stage, a tab, path; None where git cannot read it.

    Raises:
        HostError: `git-missing`, `git-failed`.
    """
    with shadow.index(index) as there:
        ran = there.ask("ls-files", "--stage", "-z")
    return tuple(ran.out.split(b"\0")[:-1]) if ran.code == 0 else None


def _staged(shadow: Shadow, index: GitChange | None) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Mode, blob and path of every entry that the index gains, without those in conflict."""
    if index is None or index.after is None:
        return
    old = set() if index.before is None else set(entries_of(shadow, index.before) or ())
    for said in entries_of(shadow, index.after) or ():
        mode, blob, rest = said.split(b" ", 2)
        stage, _, path = rest.partition(b"\t")
        if said not in old and stage == b"0":
            yield mode, blob, path


def _tree(shadow: Shadow, commit: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    ran = shadow.ask("ls-tree", "-r", "-z", "--full-tree", commit.decode("ascii") + "^{tree}")
    for entry in ran.out.split(b"\0")[:-1]:
        said, _, path = entry.partition(b"\t")
        mode, _, blob = said.split(b" ")
        yield mode, blob, path


def _was_there(
    shadow: Shadow, mode: bytes, blob: bytes, path: bytes, root: str, contents: Contents
) -> bool:
    name = path.decode("utf-8", "surrogateescape")
    held = shadow.run("cat-file", "blob", blob.decode("ascii"))
    if mode == _LINK:
        try:
            return os.fsencode(os.readlink(os.path.join(root, name))) == held
        except OSError:
            return False
    return any(each is not None and _stands_for(held, each) for each in contents(name))


def _stands_for(held: bytes, content: bytes) -> bool:
    if held == content or held == content.replace(b"\r\n", b"\n"):
        return True
    pointer = _POINTER.match(held)
    return pointer is not None and pointer[1] == raw(sha256(content)).hex().encode()
