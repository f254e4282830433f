"""Unseen: files in commits and in the index that never stood in the working folder.

What stands in the folder is judged file by file. Without this a command could put a change into
history alone (`git update-index --cacheinfo`, `git commit-tree`) and nothing would have judged it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from groundwire.documents.staged import GitChange
from groundwire.targets.git.history import Entry, History, history_of, new_entries, stands_for
from groundwire.targets.git.repository import SYMBOLIC
from groundwire.targets.git.staged.leaving import Refs
from groundwire.targets.git.staged.shadow import Shadow, unsound

Contents: TypeAlias = Callable[[str], Sequence[bytes | None]]
"""What a path of the working folder held, and what it is to hold."""

File: TypeAlias = tuple[bool, bytes]
"""Whether it is a link, and the name of its object."""
Files: TypeAlias = dict[bytes, File]

_LINK: Final = b"120000"
_FILES: Final = (b"100644", b"100755", _LINK)


def unseen_files(
    shadow: Shadow,
    changes: Mapping[str, GitChange],
    before: Refs,
    after: Refs,
    root: str,
    contents: Contents,
) -> tuple[str, ...]:
    """Paths at which a ref's new commit, or the index, has bytes that were not in the folder there.

    Bytes that history or the index had at the same path were judged when they came there, and a
    file that is renamed in the index takes its bytes along. Only the commit that a ref comes to is
    looked at: what the others on the way hold, and what is left out while the folder keeps it,
    `history_beside` tells. Line ends that git makes alike and the pointers of git-lfs are read as
    what they stand for.

    Raises:
        GuardError: `objects-unsound`. HostError: `git-missing`, `git-failed`.
    """
    index = changes.get("index")
    old = _files_of(shadow, None if index is None else index.before)
    found = set(_staged(shadow, index, old, _tree(shadow, _head_then(shadow, changes, after))))
    known = set(before.values())
    moved = {
        value for ref, value in after.items() if before.get(ref) != value and not _is_note(ref)
    }
    for tip in moved - known:
        given = tip + b"\n" + b"".join(b"^" + each + b"\n" for each in known)
        said = shadow.run("rev-list", "--boundary", "--ignore-missing", "--stdin", given=given)
        if not said.strip():
            continue  # history had it before
        had = set(old.items())
        for line in said.splitlines():
            if line.startswith(b"-"):
                had |= _tree(shadow, line[1:]).items()
        found |= _tree(shadow, tip).items() - had
    return tuple(
        sorted(
            path.decode("utf-8", "surrogateescape")
            for path, file in found
            if not _was_there(shadow, file, path, root, contents)
        )
    )


def history_beside(
    shadow: Shadow,
    changes: Mapping[str, GitChange],
    before: Refs,
    after: Refs,
    root: str,
    contents: Contents,
) -> History:
    """What the new commits, and the index, change that neither the folder nor a tip shows.

    Raises:
        HostError: `git-missing`, `git-failed`.
    """
    known = set(before.values())
    moved = {
        value for ref, value in after.items() if before.get(ref) != value and not _is_note(ref)
    }
    tips = moved - known
    entries = new_entries(shadow, tips, known) if tips else []
    if entries is None:
        return History((), whole=False)
    at_tips = {
        (path, blob) for tip in tips for path, (_, blob) in (_tree(shadow, tip).items())
    }  # `unseen_files` has looked at these
    index = changes.get("index")
    if index is not None and index.after is not None:
        left = {entry.partition(b"\t")[2] for entry in entries_of(shadow, index.after) or ()}
        head = _tree(shadow, _head_then(shadow, changes, after))
        had = _files_of(shadow, index.before)
        entries += [
            Entry(path, blob, None)
            for path, (_, blob) in head.items()
            if path in had and path not in left
        ]
    wanted = [
        each
        for each in entries
        if (each.path, each.after) not in at_tips
        and (each.after is not None or _is_kept(each.path, root, contents))
    ]
    return history_of(
        shadow, wanted, root, lambda path, held: _is_there(held, path, root, contents)
    )


def _is_kept(path: bytes, root: str, contents: Contents) -> bool:
    """Whether the folder is to keep something at the path."""
    name = path.decode("utf-8", "surrogateescape")
    return contents(name)[-1] is not None or os.path.islink(os.path.join(root, name))


def _is_note(ref: str) -> bool:
    """What is noted about commits is text beside the files, and is checked out nowhere."""
    return ref.startswith("refs/notes/")


def entries_of(shadow: Shadow, index: bytes) -> tuple[bytes, ...] | None:
    """The entries of an index: mode, object, stage, a tab, path; None where git cannot read it.

    Raises:
        HostError: `git-missing`, `git-failed`.
    """
    with shadow.index(index) as there:
        ran = there.ask("ls-files", "--stage", "-z")
    return tuple(ran.out.split(b"\0")[:-1]) if ran.code == 0 else None


def _files_of(shadow: Shadow, index: bytes | None) -> Files:
    """The files of an index, None for the repository's own, without those in conflict."""
    if index is None:
        ran = shadow.ask("ls-files", "--stage", "-z")
        entries = tuple(ran.out.split(b"\0")[:-1])
    else:
        entries = entries_of(shadow, index) or ()
    found: Files = {}
    for entry in entries:
        said, _, path = entry.partition(b"\t")
        mode, blob, stage = said.split(b" ")
        if stage == b"0" and mode in _FILES:
            found[path] = (mode == _LINK, blob)
    return found


def _staged(
    shadow: Shadow, index: GitChange | None, old: Files, head: Files
) -> Iterator[tuple[bytes, File]]:
    """What the index gains that it does not have from the commit that is checked out."""
    if index is None or index.after is None:
        return
    new = _files_of(shadow, index.after)
    gone = {file for path, file in old.items() if path not in new}
    for path, file in new.items() - old.items() - head.items():
        if path in old or file not in gone:
            yield path, file


def _head_then(shadow: Shadow, changes: Mapping[str, GitChange], after: Refs) -> bytes | None:
    """The commit that is checked out once the changes stand; None before the first."""
    change = changes.get("HEAD")
    if change is None or change.after is None:
        ran = shadow.ask("symbolic-ref", "-q", "HEAD")
        text = SYMBOLIC + ran.out if ran.code == 0 else after.get("HEAD", b"")
    else:
        text = change.after
    if not text.startswith(SYMBOLIC):
        return text.strip() or None
    return after.get(text.removeprefix(SYMBOLIC).strip().decode("utf-8", "surrogateescape"))


def _tree(shadow: Shadow, commit: bytes | None) -> Files:
    if commit is None:
        return {}
    name = commit.decode("ascii", "replace")
    ran = shadow.ask("ls-tree", "-r", "-z", "--full-tree", name + "^{tree}")
    found: Files = {}
    for entry in ran.out.split(b"\0")[:-1]:
        said, _, path = entry.partition(b"\t")
        mode, _, blob = said.split(b" ")
        if mode in _FILES:
            found[path] = (mode == _LINK, blob)
    return found


def _was_there(shadow: Shadow, file: File, path: bytes, root: str, contents: Contents) -> bool:
    is_link, blob = file
    name = path.decode("utf-8", "surrogateescape")
    ran = shadow.ask("cat-file", "blob", blob.decode("ascii"))
    if ran.code != 0:
        raise unsound(ran)
    if is_link:
        return _is_link_to(ran.out, os.path.join(root, name))
    return any(each is not None and stands_for(ran.out, each) for each in contents(name))


def _is_there(held: bytes, path: bytes, root: str, contents: Contents) -> bool:
    name = path.decode("utf-8", "surrogateescape")
    if _is_link_to(held, os.path.join(root, name)):
        return True
    return any(each is not None and stands_for(held, each) for each in contents(name))


def _is_link_to(held: bytes, path: str) -> bool:
    try:
        return os.fsencode(os.readlink(path)) == held
    except OSError:
        return False
