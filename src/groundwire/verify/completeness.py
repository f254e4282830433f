"""Completeness: what is known of a recording outside its file, and what the file answers to it.

A file alone cannot show that its end was cut off: a head kept elsewhere (size and root) or a
checkpoint in a mirror can.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from groundwire.canon.dsse import decode_base64
from groundwire.documents.entry import Open
from groundwire.documents.verdict import Completeness, Head
from groundwire.errors import EncodingError, TrustError
from groundwire.recording.notes import Note, decode_note, origin_of
from groundwire.verify.walk import Walk
from groundwire.verify.words import Broken


class Claim(msgspec.Struct, frozen=True):
    """A note as it reads before anyone looked at its signature."""

    origin: str
    size: int
    root: str


def sizes_of(head: Head | None, notes: Iterable[str] | None) -> frozenset[int]:
    """The sizes at which a walk has to keep the root, so that it can be compared afterwards."""
    sizes = {claim.size for note in notes or () if (claim := _claim(note)) is not None}
    return frozenset(sizes if head is None else sizes | {head.size})


def require_head(walk: Walk, opening: Open, head: Head) -> None:
    """The file is the one whose head was kept, or has grown from it.

    Raises:
        Broken: `rolled-back`, `replaced`.
    """
    if (head.run, head.segment) != (opening.run, opening.segment):
        raise Broken("replaced", "The head kept outside the file is that of another recording.", 0)
    _require(walk, head.size, head.root, "head kept outside the file")


def require_notes(walk: Walk, opening: Open, notes: Sequence[str]) -> bool:
    """The file answers every note about it; true where one of them is its closing checkpoint.

    A note whose key this file does not certify confirms nothing, but contradicts as well as any:
    whoever replaced the file may have replaced the key.

    Raises:
        Broken: `note-malformed`, `not-in-mirror` (no note is about this recording),
            `rolled-back`, `replaced`, `equivocation`.
    """
    origin = origin_of(opening.run, opening.segment)
    seen = closing = False
    for text in notes:
        claim = _claim(text)
        if claim is not None and claim.origin != origin:
            continue
        note = _signed(text, walk)
        if note is None and claim is None:
            raise Broken("note-malformed", "The mirror holds a note that is none.", 0)
        said = note or claim
        if said is None or said.size == 0:
            continue
        if note is not None and _contradicts(walk, note):
            raise Broken(
                "equivocation",
                f"The mirror holds a note by the key of this run, over {note.size} entries, that "
                "contradicts a checkpoint which the same run signed in this file.",
                0,
            )
        _require(walk, said.size, said.root, "mirror")
        seen = seen or note is not None
        closing = closing or (note is not None and note.size == walk.closed_size - 1)
    if not seen:
        raise Broken("not-in-mirror", "No note in the mirror is about this recording.", 0)
    return closing


def completeness_of(walk: Walk, *, anchored: bool) -> Completeness:
    """What the file, as far as it holds, says of its own end."""
    if walk.stage != "closed" or (walk.next_segment and not walk.followed):
        return "open"
    return "anchored" if anchored else "closed"


def _require(walk: Walk, size: int, root: str, source: str) -> None:
    if size > walk.chain.size:
        raise Broken(
            "rolled-back",
            f"The file has {walk.chain.size} entries; the {source} knows of {size}.",
            0,
        )
    if size and walk.roots[size][0] != root:
        raise Broken(
            "replaced",
            f"The first {size} entries of the file are not those that the {source} knows of.",
            0,
        )


def _contradicts(walk: Walk, note: Note) -> bool:
    signed = walk.signatures.last
    if signed is None or note.size > signed.checkpoint.size:
        return False
    return walk.roots[note.size][0] != note.root


def _signed(text: str, walk: Walk) -> Note | None:
    """The note under one of the keys that the file certifies, if one of them signed it."""
    for public_key in walk.signatures.run_keys:
        try:
            return decode_note(text, public_key)
        except TrustError as error:
            if error.reason != "unknown-signer":
                raise Broken("note-malformed", f"In the mirror: {error.message}", 0) from error
        except EncodingError as error:
            raise Broken("note-malformed", f"In the mirror: {error.message}", 0) from error
    return None


def _claim(text: str) -> Claim | None:
    lines = text.split("\n", 3)
    if len(lines) < 4 or not (lines[1].isascii() and lines[1].isdigit() and len(lines[1]) < 16):
        return None
    try:
        root = "root:" + decode_base64(lines[2]).hex()
    except EncodingError:
        return None
    return Claim(lines[0], int(lines[1]), root)
