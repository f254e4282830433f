"""The two lines under every verdict: what it proves, and what it does not."""

from __future__ import annotations

from groundwire.documents.counts import counted
from groundwire.documents.verdict import GuardedCount
from groundwire.verify.walk import Walk

NOTHING = "nothing: this recording is no evidence of anything until it verifies."


def proves(walk: Walk, guarded: GuardedCount, *, anchored: bool) -> str:
    """One line: who wrote what, and that it is unchanged."""
    signatures, signed = walk.signatures, walk.signatures.last
    if signed is None or walk.opening is None:
        return NOTHING
    claim = (
        f"whoever held the run key that {signatures.identity} certified for run "
        f"{walk.opening.run} (custody: {signatures.custody}) wrote these {signed.checkpoint.size} "
        "entries and their contents, in this order; none has changed since."
    )
    if signatures.redactors:
        claim += (
            f" {len(walk.contents.redacted)} contents were taken out by"
            f" {' and '.join(signatures.redactors)}."
        )
        if signatures.foreign_redactors:
            claim += (
                f" {' and '.join(signatures.foreign_redactors)} did not record the run: that was"
                f" {' and '.join(signatures.writers)}."
            )
    if guarded.calls:
        claim += (
            f" Of {counted(guarded.calls, 'guarded call')}: {guarded.executed} executed, each under a"
            f" receipt for exactly it; {guarded.refused} refused; {guarded.passed} let through, read"
            f" or only observed; {guarded.unknown} unknown."
        )
    if anchored:
        claim += " The mirror saw its closing checkpoint: nothing was cut off."
    return claim


def does_not_prove(walk: Walk, guarded: GuardedCount, *, anchored: bool) -> str:
    """One line: what a reader might take it to prove, and must not."""
    limits = [
        "that the model saw these bytes",
        "that a tool returned them",
        "that the clock was right",
        "that nothing else happened",
    ]
    limits += _of_guarded(guarded)
    signed = walk.signatures.last
    tail = walk.chain.size - (signed.checkpoint.size if signed is not None else 0)
    if walk.stage != "closed":
        limits.append(
            f"anything about the last {tail} entries, which no checkpoint covers yet"
            if tail > 1
            else "that nothing came after the last checkpoint"
        )
    if walk.stage != "closed" or (walk.next_segment and not walk.followed):
        limits.append("that this is the whole run")
    if walk.opening is not None and walk.opening.segment and not walk.preceded:
        limits.append("anything about the segments before this one")
    if not anchored:
        limits.append("that a holder of the key did not write it anew (no anchor confirms it)")
    if "in-process" in walk.signatures.custody:
        limits.append(
            "that only groundwire used the key, which lay in reach of the agent's own process"
        )
    if walk.signatures.found:
        limits.append(
            f"who wrote {walk.signatures.found} entries that a recovery found under no checkpoint"
        )
    if walk.signatures.foreign_redactors:
        limits.append("that whoever recorded the run agreed to what another identity took out")
    if walk.resumed_blindly:
        limits.append(
            "that nothing was cut off before it was resumed (no head of it was known then)"
        )
    if walk.not_understood:
        limits.append(f"what {walk.not_understood} entries of unknown kinds mean")
    return "; ".join(limits) + "."


def _of_guarded(guarded: GuardedCount) -> list[str]:
    """What the receipts and outcomes of guarded calls leave open."""
    limits = []
    if guarded.calls:
        limits.append("that what a guarded call left is still there, or was all that it did")
    if guarded.unknown:
        alone = f" ({guarded.intent_alone} have an intent alone)" if guarded.intent_alone else ""
        limits.append(f"whether the effect of {guarded.unknown} guarded calls landed{alone}")
    if guarded.unattested:
        limits.append(
            f"that the executor of {counted(guarded.unattested, 'guarded call')} stands by its outcome"
            " (unattested: the recording alone says how it ended)"
        )
    if guarded.unchecked:
        limits.append(
            f"under which receipt {guarded.unchecked} guarded calls went (a document of each is "
            "redacted, withheld or in a segment before)"
        )
    return limits
