"""Kinds: as what a change is governed, by what stands there before and after, and by where it is.

Both sides count, and both names of what is renamed: an artifact does not stop being one because a
change takes away what it is known by.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from groundwire.authority.artifacts.contents import kinds_by_content
from groundwire.authority.artifacts.places import (
    BY_PATH,
    CI_FILE,
    LOCKS,
    PROSE,
    SOURCE,
    ending,
    file_name,
    is_aside,
    is_fetched,
    kind_by_path,
    whole,
)
from groundwire.authority.artifacts.surfaces import new_sources, taken_back
from groundwire.documents.governing import Artifact
from groundwire.documents.target import Change, TargetName
from groundwire.targets.places.patterns import is_covered
from groundwire.targets.shell.plans.shown import KINDS as PLANNED

DERIVED: Final = "derived-contract"
"""A program that takes back what it promised: a route, a field, a check of its input."""
SOURCES: Final = "package-source"
"""A lock file by which packages come from elsewhere than before."""

KINDS: Final = (*(kind for kind, _ in BY_PATH), DERIVED, SOURCES, *PLANNED)
"""Every kind that is told here. A policy and a host may have more."""

_ASIDE_TOO: Final = frozenset({CI_FILE, "contract-rules", "mcp-manifest"})


def kinds_of_file(
    name: TargetName, content: bytes | None, declared: Iterable[Artifact] = ()
) -> frozenset[str]:
    """As what the file is governed while it holds this; empty where it is an ordinary one.

    `declared` are a policy's own artifacts. Tests, what they are run on, what was built and what a
    package manager fetched are ordinary, unless one of those names them. Does not know what a
    program promises: see `kinds_of_change`.
    """
    path = whole(name)
    found = {each.kind for each in declared if any(is_covered(path, it) for it in each.paths)}
    if is_fetched(name.path):
        return frozenset(found)
    own = _own_kinds(name.path, content)
    return frozenset(found | (own & _ASIDE_TOO if is_aside(name.path) else own))


def kinds_of_change(
    change: Change, name: TargetName, declared: Iterable[Artifact] = ()
) -> frozenset[str]:
    """As what the change is governed at `name`, one of its names; empty for an ordinary one."""
    declared = tuple(declared)
    found = set[str]()
    for content in (change.before, change.after):
        if content is not None:
            found |= kinds_of_file(name, content, declared)
    found |= kinds_of_file(name, None, declared)
    if change.before is not None and not (is_aside(name.path) or is_fetched(name.path)):
        if change.kind in {"changed", "deleted"} and taken_back(
            name.path, change.before, change.after
        ):
            found.add(DERIVED)
        if change.after is not None and new_sources(name.path, change.before, change.after):
            found.add(SOURCES)
    return frozenset(found)


def _own_kinds(path: str, content: bytes | None) -> set[str]:
    by_path = kind_by_path(path)
    found = set() if by_path is None else {by_path}
    if content is not None and not (
        ending(path) in PROSE | SOURCE or file_name(path) in LOCKS or by_path == CI_FILE
    ):
        found |= kinds_by_content(content)
    return found
