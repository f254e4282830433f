"""Places that no guarded tool writes and things that none reads: pure, over paths as they are.

No rule and no profile is asked: what stands here holds for every tool. Which git folder a
`core.hooksPath` names, and what a program that is allowed to run writes by itself, is not known
here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, Literal, TypeAlias

import msgspec

from groundwire.targets.places.patterns import folded_path, is_above, is_covered

Identity: TypeAlias = tuple[int, int]
"""Device and inode of a file or folder."""
What: TypeAlias = Literal[
    "policy", "keys", "state", "recordings", "agent-hooks", "git-hooks", "git-config"
]

PATTERNS: Final[tuple[tuple[What, str], ...]] = (
    ("policy", "groundwire.toml"),
    ("recordings", "*.gw"),
    ("recordings", "*.gw.d"),
    ("agent-hooks", ".claude/settings.json"),
    ("agent-hooks", ".claude/settings.local.json"),
    ("agent-hooks", ".claude/hooks"),
    ("agent-hooks", ".cursor/hooks.json"),
    ("agent-hooks", ".cursor/hooks"),
    ("agent-hooks", ".codex/config.toml"),
    ("agent-hooks", ".codex/hooks.json"),
    ("agent-hooks", ".gemini/settings.json"),
    ("agent-hooks", ".github/hooks"),
    ("agent-hooks", ".windsurf/hooks.json"),
    ("agent-hooks", ".codeium/windsurf/hooks.json"),
    ("agent-hooks", ".kiro/hooks"),
    ("git-hooks", "*.git/hooks"),
    ("git-hooks", "*.git/modules/**/hooks"),
    ("git-config", "*.git/config"),
    ("git-config", "*.git/config.worktree"),
    ("git-config", "*.git/commondir"),
    ("git-config", "*.git/modules/**/config"),
    ("git-config", "*.git/worktrees/*/config.worktree"),
    ("git-config", "*.git/worktrees/*/commondir"),
)
"""What is protected wherever it lies."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A path as it really is: made by `resolving.resolve`.

    `names` are absolute: as it was asked for, with every link read, and every other name of the
    file that was found. `own` is the identity of what stands there, None where nothing does;
    `above` those of the folders it is in. `unfound` counts names of the file that were not found.
    """

    names: tuple[str, ...]
    own: Identity | None
    above: tuple[Identity, ...]
    unfound: int = 0


class Protected(msgspec.Struct, frozen=True, kw_only=True):
    """A place by its path: itself and everything in it. `place` is that path as it really is."""

    what: What
    place: Place


class Protection(msgspec.Struct, frozen=True, kw_only=True):
    """Why a place may not be written or read: what it is, and by which of its names."""

    what: str
    name: str


def protection_of(place: Place, protected: Sequence[Protected]) -> Protection | None:
    """Why the place must not be written; None where nothing protects it.

    A place is protected if it is one of these, in one of these, or a folder that holds one: by any
    of its names, however spelled, and by what it is on the disk under whatever name.
    """
    for name in place.names:
        what = _protected_by_name(name)
        if what is not None:
            return Protection(what=what, name=name)
    for each in protected:
        if _is_one(place, each.place):
            return Protection(what=each.what, name=place.names[0])
    return None


@lru_cache(maxsize=1024)
def _protected_by_name(name: str) -> What | None:
    """What a pattern of ours says that the path is, or may hold."""
    for what, pattern in PATTERNS:
        if is_covered(name, pattern) or is_above(name, pattern):
            return what
    return None


def protection_of_folder(place: Place, protected: Sequence[Protected]) -> Protection | None:
    """Why the folder itself must not be made or removed; None where nothing protects it.

    For whoever judges everything in it by itself: what a folder could hold does not protect it.
    """
    for name in place.names:
        for what, pattern in PATTERNS:
            if is_covered(name, pattern):
                return Protection(what=what, name=name)
    for each in protected:
        if _is_one(place, each.place):
            return Protection(what=each.what, name=place.names[0])
    return None


def denied_to_read(
    place: Place, patterns: Iterable[str], protected: Sequence[Protected] = ()
) -> Protection | None:
    """Why the place must not be read; None where no pattern covers it.

    Of `protected` only keys are denied by themselves: policy and recordings are for reading.

    Raises:
        PolicyError: `bad-path-pattern`.
    """
    for pattern in patterns:
        for name in place.names:
            if is_covered(name, pattern):
                return Protection(what=pattern, name=name)
    for each in protected:
        if each.what == "keys" and _is_one(place, each.place):
            return Protection(what=each.what, name=place.names[0])
    return None


def _is_one(place: Place, other: Place) -> bool:
    """Whether the place is the other, in it, or around it."""
    if other.own is not None and (other.own == place.own or other.own in place.above):
        return True
    if place.own is not None and place.own in other.above:
        return True
    mine, theirs = _spelled(place.names), _spelled(other.names)
    return any(
        one == another or one.startswith(another + "/") or another.startswith(one + "/")
        for one in mine
        for another in theirs
    )


@lru_cache(maxsize=1024)
def _spelled(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(folded_path(name) for name in names)
