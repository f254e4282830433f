"""Lost content: bytes that stand nowhere any more once a proposal is carried out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from groundwire.canon.digest import sha256
from groundwire.documents.target import Change, Proposal
from groundwire.targets.disk.kept import KeptBounds


class Holdings(Protocol):
    """Where bytes may still stand. What cannot be told is no."""

    def stands_in_file(self, content: bytes, but: frozenset[str]) -> bool:
        """Whether a file holds exactly these bytes, one under none of the paths in `but`."""
        ...

    def stands_in_git(self, content: bytes) -> bool:
        """Whether git has an object with exactly these bytes."""
        ...

    def is_kept(self, digest: str) -> bool:
        """Whether a before-image with this digest is kept."""
        ...


def lost_content(
    proposal: Proposal, holdings: Callable[[], Holdings], bounds: KeptBounds
) -> tuple[Change, ...]:
    """The changes whose before would stand in no file, no git object and no kept copy afterwards.

    The write itself keeps copies first, as far as `bounds` lets it; `holdings` are asked for the
    rest alone. An empty file holds nothing. Says nothing of how long git or the kept copies go on
    to hold them.
    """
    unkept = _unkept(proposal, bounds)
    if not unkept:
        return ()
    held = holdings()
    touched = frozenset(change.name.path for change in proposal.changes)
    made = {sha256(change.after) for change in proposal.changes if change.after is not None}
    lost: list[Change] = []
    for change, before in unkept:
        digest = sha256(before)
        if (
            digest in made
            or held.is_kept(digest)
            or held.stands_in_git(before)
            or held.stands_in_file(before, touched)
        ):
            continue
        lost.append(change)
    return tuple(lost)


def _unkept(proposal: Proposal, bounds: KeptBounds) -> list[tuple[Change, bytes]]:
    """Those that take bytes away of which the write keeps no copy: too large, or too much in all."""
    room = bounds.total
    found = []
    for change in proposal.changes:
        before = change.before
        if not before or change.kind not in {"changed", "deleted"}:
            continue
        if len(before) <= min(bounds.each, room):
            room -= len(before)
        else:
            found.append((change, before))
    return found
