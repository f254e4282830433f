"""History: what new commits and the index change that the working folder does not show.

What stands in the folder is judged there. A commit on the way may hold what never stood in it or
what was written over since, and may leave out what the folder keeps: these are changes too, of the
same files, in history alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol, TypeAlias

import msgspec

from groundwire.canon.digest import raw, sha256
from groundwire.documents.target import Absent, Change, TargetName
from groundwire.targets.git.repository import token_of_text

MOST_COMMITS: Final = 300
MOST_FILES: Final = 2000
MOST_BYTES: Final = 64 << 20
_POINTER: Final = re.compile(
    rb"version https://\S+/spec/v1\n.*?oid sha256:([0-9a-f]{64})\n", re.DOTALL
)
_MODES: Final = frozenset({b"100644", b"100755", b"120000"})

Stands: TypeAlias = Callable[[bytes, bytes], bool]
"""Whether these bytes are what the working folder has, or had, at this path."""


class Asks(Protocol):
    """Git, as of a repository that may have objects beside it."""

    def run(self, *arguments: str, given: bytes = b"") -> bytes:
        """What git wrote; it ended well. Raises `HostError`."""
        ...


class Entry(NamedTuple):
    """A file of a commit that differs from what was before it; None: there is none."""

    path: bytes
    before: bytes | None
    after: bytes | None


class History(msgspec.Struct, frozen=True):
    """The changes, and whether these are all: of a very long history some are not looked at."""

    changes: tuple[Change, ...] = ()
    whole: bool = True


def new_entries(git: Asks, tips: Collection[bytes], known: Collection[bytes]) -> list[Entry] | None:
    """What the commits that lead to the tips, and to none that are known, change; each once.

    A merge changes what differs from every one of its parents. What a known commit changed to the
    same was judged when it was made. None: there are more commits or files than are looked at.

    Raises:
        HostError: `git-missing`, `git-failed`.
    """
    given = b"".join(tip + b"\n" for tip in tips) + b"".join(b"^" + each + b"\n" for each in known)
    most = f"--max-count={MOST_COMMITS + 1}"
    said = git.run("rev-list", "--parents", "--ignore-missing", most, "--stdin", given=given)
    commits = [line.split(b" ") for line in said.splitlines()]
    if len(commits) > MOST_COMMITS:
        return None
    made = {commit for commit, *_ in commits}
    beside = {parent for _, *parents in commits for parent in parents} - made
    pairs = [
        commit + (b" " + parent if parent else b"") + b"\n"
        for commit, *parents in commits
        for parent in parents or [b""]
    ]
    out = git.run(
        "diff-tree", "--stdin", "-r", "-z", "--no-renames", "--no-abbrev", "--root",
        given=b"".join(pairs),
    )  # fmt: skip
    parents_of = {commit: max(len(parents), 1) for commit, *parents in commits}
    counts = Counter[tuple[bytes, bytes, bytes | None]]()
    first: dict[tuple[bytes, bytes, bytes | None], Entry] = {}
    for commit, entry in _raw(out):
        place = commit, entry.path, entry.after
        counts[place] += 1
        first.setdefault(place, entry)
    found = [entry for place, entry in first.items() if counts[place] == parents_of[place[0]]]
    if len(found) > MOST_FILES:
        return None
    judged = _judged_before(git, known, beside) if found else frozenset()
    return [each for each in dict.fromkeys(found) if (each.path, each.after) not in judged]


def entries_of_commit(git: Asks, commit: str) -> list[Entry]:
    """What a commit with one parent or none changes. Raises `HostError`: `git-missing`, `git-failed`."""
    out = git.run("diff-tree", "-r", "-z", "--root", "--no-renames", "--no-abbrev", commit)
    return [entry for _, entry in _raw(out)]


def history_of(git: Asks, entries: Iterable[Entry], root: str, stands: Stands) -> History:
    """The entries as changes of the files below `root`, without those that the folder shows.

    `stands` is asked of what a file became. What is gone from history, and kept by the folder, is a
    deletion: whoever gives the entry has seen to that.

    Raises:
        HostError: `git-missing`, `git-failed`.
    """
    wanted = list(dict.fromkeys(entries))
    if len(wanted) > MOST_FILES:
        return History((), whole=False)
    names = {name for each in wanted for name in (each.before, each.after) if name}
    blobs = _blobs(git, sorted(names))
    if blobs is None:
        return History((), whole=False)
    changes = [
        change
        for each in wanted
        if not (each.after and stands(each.path, blobs[each.after]))
        if (change := _change(each, root, blobs.get)) is not None
    ]
    return History(tuple(changes))


def stands_for(held: bytes, content: bytes) -> bool:
    """Whether git holds these bytes for a file of that content."""
    if held == content or held == content.replace(b"\r\n", b"\n"):
        return True
    pointer = _POINTER.match(held)
    return pointer is not None and pointer[1] == raw(sha256(content)).hex().encode()


def _change(entry: Entry, root: str, blob: Callable[[bytes], bytes | None]) -> Change | None:
    before = None if entry.before is None else blob(entry.before)
    after = None if entry.after is None else blob(entry.after)
    if before == after:
        return None
    path = entry.path.decode("utf-8", "surrogateescape")
    return Change(
        name=TargetName(kind="files", root=root, path=path),
        kind="created" if before is None else "deleted" if after is None else "changed",
        state=Absent() if before is None else token_of_text(before),
        before=before,
        after=after,
    )


def _judged_before(
    git: Asks, known: Collection[bytes], beside: Collection[bytes]
) -> frozenset[tuple[bytes, bytes | None]]:
    """Paths with what a commit that was there before, and that the new ones do not stand on, made of them."""
    given = b"".join(each + b"\n" for each in known)
    given += b"".join(b"^" + each + b"\n" for each in beside)
    out = git.run(
        "log", "--format=", "--raw", "-z", "--no-renames", "--no-abbrev", "--ignore-missing",
        f"--max-count={MOST_COMMITS}", "--stdin", given=given,
    )  # fmt: skip
    return frozenset((entry.path, entry.after) for _, entry in _raw(out))


def _raw(out: bytes) -> Iterator[tuple[bytes, Entry]]:
    """The entries of a raw diff with `-z`, each with the commit that stands above it, if one does."""
    commit, parts = b"", iter(out.split(b"\0"))
    for part in parts:
        said = part.strip(b"\n")
        if not said.startswith(b":"):
            commit = said or commit
            continue
        old_mode, new_mode, old, new, _ = said[1:].split(b" ")
        path = next(parts, b"")
        before, after = _file(old_mode, old), _file(new_mode, new)
        if before or after:
            yield commit, Entry(path, before, after)


def _file(mode: bytes, name: bytes) -> bytes | None:
    return name if mode in _MODES else None


def _blobs(git: Asks, names: Sequence[bytes]) -> dict[bytes, bytes] | None:
    """The contents of these objects; None where they are more than is read."""
    if not names:
        return {}
    given = b"".join(name + b"\n" for name in names)
    sizes = git.run("cat-file", "--batch-check=%(objectsize)", given=given).split()
    if sum(int(size) for size in sizes if size.isdigit()) > MOST_BYTES:
        return None
    out, found, at = git.run("cat-file", "--batch", given=given), dict[bytes, bytes](), 0
    for name in names:
        end = out.index(b"\n", at)
        said = out[at:end].split(b" ")
        if len(said) != 3:
            return None  # it is not there: what nobody can read is not judged
        size = int(said[2])
        found[name] = out[end + 1 : end + 1 + size]
        at = end + 2 + size
    return found
