"""Descriptions: those that are read of several files, of which a call changes one."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from typing import Final, TypeAlias

from groundwire.authority.artifacts.kinds import kinds_of_file
from groundwire.authority.artifacts.places import ending, is_fetched
from groundwire.documents.governing import Artifact
from groundwire.documents.question import Reached
from groundwire.errors import GroundwireError, GuardError
from groundwire.session.guarding.reaching.laying import Laid, Side
from groundwire.targets.folders.searching import SearchBounds, search

KIND: Final = "openapi"
ENDINGS: Final = frozenset({"json", "yaml", "yml"})
"""Of files that a description is looked for in, and that may be a part of one."""
TOO_LARGE: Final = "folder-not-looked-through"
UNLIKELY: Final = "reference-of-another-ending"
LINKED: Final = "reference-through-a-link"

Stamp: TypeAlias = tuple[int, int, int, int]
_WORDS: Final = (b"openapi", b"swagger")
# A reference that begins with no `#`, or that is written in a way that is not seen through here.
_OUTWARD: Final = re.compile(
    rb"""(?:\$ref|operationRef)["']?\s*:\s*(?!["']?\#)(?!\s*\{)|mapping["']?\s*:|\\[ux]"""
)


def is_described(path: str) -> bool:
    """Whether a file of this name may be a description, or a part of one."""
    return ending(path) in ENDINGS


def leads_out(content: bytes | None) -> bool:
    """Whether the bytes may be a description with a reference to another file."""
    return (
        content is not None
        and any(word in content for word in _WORDS)
        and _OUTWARD.search(content) is not None
    )


def _roots(root: str, known: dict[str, tuple[Stamp, bool]], bounds: SearchBounds) -> set[str]:
    """Every file below `root` that may be a description with references to others.

    `known` is what was seen so far, and is brought up to date: a file is opened again only once
    its inode, size or times are others.

    Raises:
        GuardError: `folder-not-looked-through`.
    """
    now, stamps = dict[str, tuple[Stamp, bool]](), dict[str, Stamp]()

    def is_known(path: str, state: os.stat_result) -> bool:
        stamp = (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
        stamps[path] = stamp
        if (old := known.get(path)) is None or old[0] != stamp:
            return False
        now[path] = old
        return True

    for path, content in search(root, is_described, _is_skipped, bounds, is_known):
        now[path] = stamps[path], leads_out(content)
    known.clear()
    known.update(now)
    return {path for path, (_, leads) in now.items() if leads}


def reached_descriptions(
    laid: Laid, artifacts: Collection[Artifact], known: dict[str, tuple[Stamp, bool]]
) -> Iterator[Reached]:
    """Every description of more than one file that the changes reach, by its root or by a part.

    Looks through the working folder only where a file changes that may be one or a part of one.
    A part whose name ends otherwise is read, and a description that newly has one is undecided:
    its later changes would not be seen. What lies in folders of fetched packages is not looked for.
    `known` has what was seen of files by earlier calls, and is brought up to date.
    """
    changed = [path for path in laid.before if is_described(path)]
    if not changed:
        return
    roots = {
        path for path in changed if leads_out(laid.before[path]) or leads_out(laid.after[path])
    }
    try:
        roots |= _roots(laid.folder, known, SearchBounds()) - laid.before.keys()
    except GuardError:
        yield Reached(name=laid.name(min(changed)), kind=KIND, undecided=TOO_LARGE)
        return
    for root in sorted(roots):
        found = _reached(laid, root, artifacts)
        if found is not None:
            yield found


def _reached(laid: Laid, root: str, artifacts: Collection[Artifact]) -> Reached | None:
    """The description that begins at `root`; None where nothing of it changes or governs."""
    sides = Side(laid, laid.before), Side(laid, laid.after)
    name = laid.name(root)
    for side in sides:
        _open(root, side)
    if not any(KIND in kinds_of_file(name, side.read(root), artifacts) for side in sides):
        return None
    asked = sides[0].asked.keys() | sides[1].asked.keys()
    if any(laid.leads_to_changed(path) for path in asked):
        return Reached(name=name, kind=KIND, undecided=LINKED)
    if not any(path in laid.before for path in asked):
        return None
    new = sides[1].found.keys() - sides[0].found.keys()
    if any(not is_described(path) for path in new):
        return Reached(name=name, kind=KIND, undecided=UNLIKELY)
    before, after = sides
    return Reached(name=name, kind=KIND, before=before.found, after=after.found)


def _open(root: str, side: Side) -> None:
    """Everything that the description is read of has been asked for; whether it is good says nobody."""
    # Only where one is: its modules take a tenth of a second to import.
    from groundwire.contracts.openapi.opening.opening import (  # noqa: PLC0415 -- see above
        open_description,
    )

    if side.read(root) is None:
        return
    try:
        open_description(root, side.read)
    except GroundwireError:
        return


def _is_skipped(path: str) -> bool:
    return path.rpartition("/")[2] == ".git" or is_fetched(f"{path}/x")
