"""Ranges: every contract that differs between two commits, with all files it is made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import msgspec

from groundwire.audit.diffing.diffing import Differ, Place
from groundwire.audit.diffing.trees import MOST_BYTES, Commit, Entry
from groundwire.contracts.comparison import Comparison
from groundwire.contracts.openapi.opening.opening import open_description
from groundwire.contracts.reading.unreadable import Unreadable
from groundwire.errors import HostError
from groundwire.targets.disk.git_program import Git

_IGNORED: Final = frozenset({"node_modules", "vendor"})
_ENDINGS: Final = (".json", ".yaml", ".yml")
_OTHERS: Final = (".graphql", ".gql", ".proto")
_REPOSITORY: Final = b"160000"
_LINK: Final = b"120000"
_POINTER: Final = b"version https://git-lfs.github.com/spec/"
_LARGEST_POINTER: Final = 1024
_HEADS: Final = r"(openapi|swagger)"
_MARK: Final = re.compile(
    rb"openapi|swagger|asyncapi|\$schema|\$defs|json-schema|inputSchema|\"type\"|\btype[ \t]*:"
    rb"|\\[uUx]"  # a word that is spelled with escapes
)


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """What was found: comparisons by path, and by why not, changed files that were not looked at."""

    comparisons: tuple[Comparison, ...]
    passed: Mapping[str, tuple[str, ...]]


def diff_range(
    git: Git,
    before: Commit,
    after: Commit,
    differ: Differ,
    progress: Callable[[str], object] = str,
) -> Range:
    """Every contract that is not the same in both commits.

    A description changes where any of its files does. A file that was renamed and is like what it
    was is compared with that, if it may still be a contract by its name. What lies below
    `node_modules` and `vendor`, in a submodule or outside of the repository by git LFS is not looked
    at, and named. `progress` is told each path before it is compared.

    Raises:
        HostError: `git-failed`, `git-missing`.
    """
    old, new = before.entries(), after.entries()
    changed = {path for path in {*old, *new} if old.get(path) != new.get(path)}
    passed = _passed((before, after), changed)
    looked_at = changed.difference(*passed.values())
    candidates = _candidates(git, before, after, looked_at)
    renamed = {to: of for to, of in _renamed(git, before, after).items() if to in candidates}
    gone = set(renamed.values()) - new.keys()
    pairs: dict[str, tuple[Place | None, Place | None]] = {}
    for path in sorted(candidates - gone):
        earlier = path if path in old else renamed.get(path, path)
        ends = (
            Place(before, earlier) if earlier in old else None,
            Place(after, path) if path in new else None,
        )
        if path in changed or _reaches(ends, changed):
            pairs[path] = ends
    return Range(comparisons=tuple(_compared(pairs, differ, progress)), passed=passed)


def _passed(commits: tuple[Commit, Commit], changed: set[str]) -> Mapping[str, tuple[str, ...]]:
    """Changed files that nobody looks at, by why not."""
    found: dict[str, set[str]] = {}
    for commit in commits:
        entries = commit.entries()
        for path in changed & entries.keys():
            if why := _why_not(commit, path, entries[path]):
                found.setdefault(why, set()).add(path)
    return {why: tuple(sorted(found[why])) for why in sorted(found)}


def _why_not(commit: Commit, path: str, entry: Entry) -> str:
    if _IGNORED & set(path.split("/")):
        return "below node_modules or vendor"
    if entry.mode == _REPOSITORY:
        return "repositories of their own"
    is_pointer = (
        entry.size <= _LARGEST_POINTER
        and entry.mode != _LINK
        and path.endswith((*_ENDINGS, *_OTHERS))
        and (commit.read(path) or b"").startswith(_POINTER)
    )
    return "kept by git LFS" if is_pointer else ""


def _compared(
    pairs: Mapping[str, tuple[Place | None, Place | None]],
    differ: Differ,
    progress: Callable[[str], object],
) -> Iterator[Comparison]:
    """What is no contract at all is left out."""
    for path, ends in pairs.items():
        progress(path)
        found = differ.diff(*ends)
        if found.kind is not None or found.changes or found.unreadable:
            yield found


def _candidates(git: Git, before: Commit, after: Commit, changed: set[str]) -> set[str]:
    """Paths that may be contracts: changed files that look like one, and every description's first."""
    found = {path for path in changed if path.endswith(_OTHERS)}
    for commit in (before, after):
        entries = commit.entries()
        found |= {
            path
            for path in changed
            if path in entries and _looks_like_one(commit, path, entries[path])
        }
        found |= {path for path in _heads(git, commit) if not _IGNORED & set(path.split("/"))}
    return found


def _looks_like_one(commit: Commit, path: str, entry: Entry) -> bool:
    """Whether its words may be a contract's. One that is too large to read is taken for one."""
    if not path.endswith(_ENDINGS):
        return False
    if entry.size > MOST_BYTES:
        return True
    try:
        content = commit.read(path)
    except HostError:
        return True
    return content is not None and _MARK.search(content) is not None


def _heads(git: Git, commit: Commit) -> set[str]:
    """Files that have the word which a description begins with, whatever git is told of their kind."""
    patterns = [f"*{ending}" for ending in _ENDINGS]
    ran = git.ask(
        "grep", "-l", "-z", "-a", "-E", "--no-color", "--full-name", "-e", _HEADS, commit.name,
        "--", *(f":(top,icase){pattern}" for pattern in patterns),
    )  # fmt: skip
    if ran.code not in {0, 1}:
        raise HostError("git-failed", f"git grep failed: {ran.complaint}")
    names = ran.out.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return {name.removeprefix(f"{commit.name}:") for name in names}


def _reaches(ends: tuple[Place | None, Place | None], changed: set[str]) -> bool:
    """Whether one of the files that a description is made of is among the changed ones."""
    asked: set[str] = set()
    for place in ends:
        if place is None:
            continue

        def read(path: str, place: Place = place) -> bytes | None:
            asked.add(path)
            return place.tree.read(path)

        try:
            open_description(place.path, read)
        except (Unreadable, HostError):
            continue
    return not asked.isdisjoint(changed)


def _renamed(git: Git, before: Commit, after: Commit) -> Mapping[str, str]:
    """New paths to old ones, where git holds one for the other."""
    out = git.run(
        "diff-tree", "-r", "-z", "-M50%", "--diff-filter=R", "--name-status",
        before.name, after.name,
    )  # fmt: skip
    parts = out.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return {new: old for old, new in zip(parts[1::3], parts[2::3], strict=True)}
