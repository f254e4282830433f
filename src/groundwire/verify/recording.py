"""Verifying a recording: bytes and public keys in, verdict out.

Needs no SDK, no rule and no disk. `verify_recording` names the first thing that fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import msgspec

from groundwire.documents.entry import Open
from groundwire.documents.verdict import Head, State, Verdict
from groundwire.keys.keyring import Keyring
from groundwire.recording.reader import Files
from groundwire.verify.completeness import (
    completeness_of,
    require_head,
    require_notes,
    sizes_of,
)
from groundwire.verify.guarded.judging import NOT_LOOKED_AT, Guarding
from groundwire.verify.sentences import NOTHING, does_not_prove, proves
from groundwire.verify.walk import Walk
from groundwire.verify.words import TABLE, Broken

__all__ = ["Head", "Segment", "judged", "verify_recording", "verify_segments"]


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a run, as `verify_recording` takes it."""

    lines: Iterable[bytes]
    files: Files
    known_head: Head | None = None
    notes: Sequence[str] | None = None


def verify_recording(
    lines: Iterable[bytes],
    keyring: Keyring,
    *,
    files: Files,
    known_head: Head | None = None,
    notes: Sequence[str] | None = None,
    anchored_at: str | None = None,
) -> Verdict:
    """What can be said of this recording with these keys; whatever the bytes, a verdict.

    `lines` come with their line feeds, a torn end without. `files` gives the bytes of a file
    beside the recording by its `sha256:` digest, or None. `known_head` was kept outside the file,
    `notes` are what a mirror has (None: none was asked); both must have been read before the lines were, or a
    recording that is being written looks cut. `anchored_at` is when somebody else first saw the
    certificate, and matters for a revoked identity only.

    Compares no body with its digests: that is the reader's.
    """
    walk = Walk(keyring, files, sizes_of(known_head, notes), anchored_at=anchored_at)
    return judged(walk.over(lines), known_head, notes)


def verify_segments(segments: Sequence[Segment], keyring: Keyring) -> tuple[Verdict, ...]:
    """One verdict a segment, in the order given, each also seen to go on where the last ended.

    Says nothing of segments that were not given; a run may have begun before the first of these.
    """
    walks: list[Walk] = []
    # From the last to the first: a segment names the size at which the one before it ended.
    for segment in reversed(segments):
        marks = sizes_of(segment.known_head, segment.notes)
        after = walks[0].opening if walks else None
        if after is not None and after.previous is not None:
            marks |= {after.previous.size}
        walks.insert(0, Walk(keyring, segment.files, marks).over(segment.lines))
    for before, after_walk in pairwise(walks):
        _link(before, after_walk)
    return tuple(
        judged(walk, segment.known_head, segment.notes)
        for walk, segment in zip(walks, segments, strict=True)
    )


def _link(before: Walk, after: Walk) -> None:
    """Both walks know that the later segment goes on where the earlier one ended, or how not."""
    if before.failure is not None or after.failure is not None:
        return
    first, second = before.opening, after.opening
    if first is None or second is None or second.previous is None:
        after.failure = Broken("segment-wrong", "The file goes on from no segment before it.", 0)
        return
    previous = second.previous
    fits = (second.run, second.segment) == (first.run, first.segment + 1)
    if fits and previous.size > before.chain.size:
        before.failure = Broken(
            "rolled-back",
            f"The file has {before.chain.size} entries; the next segment knows of {previous.size}.",
            0,
        )
        return
    end = before.roots.get(previous.size)
    fits = fits and before.next_segment and before.closed_size == previous.size
    if not fits or end != (previous.root, previous.head):
        after.failure = Broken(
            "segment-wrong", "The file does not go on where the one before it ended.", 0
        )
        return
    before.followed = after.preceded = True
    after.told_before = [*before.told_before, *before.telling.told]


def judged(
    walk: Walk, known_head: Head | None = None, notes: Sequence[str] | None = None
) -> Verdict:
    """The verdict on a walk that has been over its lines, with `sizes_of` the same head and notes."""
    return judged_as_written(walk, known_head, notes, walk.guarding())


def judged_as_written(
    walk: Walk,
    known_head: Head | None = None,
    notes: Sequence[str] | None = None,
    guarding: Guarding = NOT_LOOKED_AT,
) -> Verdict:
    """As `judged`, but without `guarding` nobody looks at what guarded calls say together."""
    if walk.failure is not None:
        return _verdict(walk, _failure(walk.failure, known_head), guarding)
    anchored = False
    try:
        opening = _opening(walk, known_head)
        if known_head is not None:
            require_head(walk, opening, known_head)
        anchored, doubt = _against(walk, opening, notes)
        if guarding.failure is not None:
            raise guarding.failure
        _require_decided(walk)
        doubt = doubt or guarding.doubt
        if doubt is not None:
            raise doubt
    except Broken as broken:
        return _verdict(walk, broken, guarding)
    return _verdict(walk, None, guarding, anchored=anchored)


def _failure(failure: Broken, head: Head | None) -> Broken:
    if failure.code == "not-a-recording" and head is not None and head.size:
        message = (
            f"The file is no recording; the head kept outside it knows of {head.size} entries."
        )
        return Broken("replaced", message, 0)
    return failure


def _against(walk: Walk, opening: Open, notes: Sequence[str] | None) -> tuple[bool, Broken | None]:
    """Whether the mirror saw the closing checkpoint, and why nobody can tell, if so.

    Raises:
        Broken: the mirror contradicts the file.
    """
    if notes is None:
        return False, None
    try:
        return require_notes(walk, opening, notes), None
    except Broken as broken:
        if TABLE[broken.code].state == "broken":
            raise
        return False, broken


def _opening(walk: Walk, head: Head | None) -> Open:
    if walk.opening is not None:
        return walk.opening
    if head is not None and head.size:
        raise Broken(
            "rolled-back",
            f"The file has no entries; the head kept outside the file knows of {head.size}.",
            0,
        )
    raise Broken("no-entries", "The file has no whole entry.", 0)


def _require_decided(walk: Walk) -> None:
    """Nothing is left that could not be judged; what is broken was said before."""
    if walk.doubt is not None:
        raise walk.doubt
    if walk.signatures.last is None:
        raise Broken("nothing-signed", "No checkpoint stands in the file yet.", 0)
    if walk.signatures.stranger:
        raise Broken(
            "signer-unknown",
            f"Intact, but the signer is unknown: {walk.signatures.stranger} is not in the keyring.",
            walk.signatures.stranger_line,
        )


def _verdict(
    walk: Walk, broken: Broken | None, guarding: Guarding, *, anchored: bool = False
) -> Verdict:
    state: State = "holds" if broken is None else TABLE[broken.code].state
    signed = walk.signatures.last
    return Verdict(
        state=state,
        reason="holds" if broken is None else broken.code,
        message=TABLE["holds"].means if broken is None else broken.message,
        line=0 if broken is None else broken.line or 0,
        partial=not walk.whole,
        run=walk.opening.run if walk.opening is not None else "",
        segment=walk.opening.segment if walk.opening is not None else 0,
        entries=walk.chain.size,
        signed_entries=signed.checkpoint.size if signed is not None else 0,
        contents=walk.contents.count,
        redacted=len(walk.contents.redacted),
        withheld=walk.contents.withheld,
        not_understood=walk.not_understood,
        completeness="unknown" if state == "broken" else completeness_of(walk, anchored=anchored),
        identity=walk.signatures.identity,
        custody=walk.signatures.custody,
        root=walk.chain.root(),
        closed=walk.stage == "closed",
        torn_bytes=walk.torn_bytes,
        guarded=guarding.count,
        proves=proves(walk, guarding.count, anchored=anchored) if state == "holds" else NOTHING,
        does_not_prove=(
            does_not_prove(walk, guarding.count, anchored=anchored)
            if state == "holds"
            else "anything."
        ),
    )
