"""Lost content: bytes that stand nowhere any more once a proposal is carried out."""

from __future__ import annotations

from typing import Protocol

from groundwire.canon.digest import sha256
from groundwire.documents.target import Change, Proposal


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


def lost_content(proposal: Proposal, holdings: Holdings, largest_kept: int) -> tuple[Change, ...]:
    """The changes whose before would stand in no file, no git object and no kept copy afterwards.

    Up to `largest_kept` bytes the write itself keeps a copy first. An empty file holds nothing.
    Says nothing of how long git or the kept copies go on to hold them.
    """
    touched = frozenset(change.name.path for change in proposal.changes)
    made = {sha256(change.after) for change in proposal.changes if change.after is not None}
    lost: list[Change] = []
    for change in proposal.changes:
        before = change.before
        if (
            before is None
            or change.kind not in {"changed", "deleted"}
            or len(before) <= largest_kept
        ):
            continue
        digest = sha256(before)
        if (
            digest in made
            or holdings.is_kept(digest)
            or holdings.stands_in_git(before)
            or holdings.stands_in_file(before, touched)
        ):
            continue
        lost.append(change)
    return tuple(lost)
