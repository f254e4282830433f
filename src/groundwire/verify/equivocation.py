"""Two recordings of one run: one goes on where the other ends, or a holder of the key lied.

RFC 9162 calls it a split view: two signed tree heads of which neither extends the other.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from groundwire.documents.verdict import State
from groundwire.verify.signatures import Signed
from groundwire.verify.walk import Walk

Relation: TypeAlias = Literal[
    "same", "first-is-prefix", "second-is-prefix", "redacted-apart", "unsigned-ends-differ",
    "equivocation", "signer-unknown", "segment-wrong",
]  # fmt: skip


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """How two recordings of one segment relate.

    `common` is how many entries they begin with in common. `proof` holds one signed checkpoint of
    each where they contradict each other: whoever has the run's certificates can check them.
    """

    state: State
    relation: Relation
    message: str
    common: int
    proof: tuple[Signed, Signed] | None = None


def compare(first: Walk, second: Walk) -> Comparison:
    """The relation of two walks that kept their leaves and did not fail.

    Says nothing of contents: commitments are compared, not what opens them.
    """
    if first.opening is None or second.opening is None:
        return _different("One of the files has no opening entry.")
    if (first.opening.run, first.opening.segment) != (second.opening.run, second.opening.segment):
        return _different("The files are not of one run and segment.")
    common = _common(first.leaves, second.leaves)
    if common == min(len(first.leaves), len(second.leaves)):
        return _prefix(first, second, common)
    if first.closed_size and common >= first.closed_size:
        return Comparison(
            state="holds",
            relation="redacted-apart",
            message="Both are the same closed recording; what was redacted since differs.",
            common=common,
        )
    return _forked(first, second, common)


def _forked(first: Walk, second: Walk, common: int) -> Comparison:
    proof = _contradiction(first, second, common)
    if proof is None:
        return Comparison(
            state="holds",
            relation="unsigned-ends-differ",
            message=f"They agree in the first {common} entries and as far as both are signed; the "
            "unsigned end of one was cut after a crash and written anew, or was changed.",
            common=common,
        )
    if first.signatures.stranger or second.signatures.stranger:
        return Comparison(
            state="undecided",
            relation="signer-unknown",
            message=f"They contradict each other from entry {common} on, but the keyring does not "
            "know who signed: anybody could have made one of them.",
            common=common,
        )
    return Comparison(
        state="broken",
        relation="equivocation",
        message=f"Both are signed, and from entry {common} on they contradict each other: a holder "
        "of the key wrote two histories of one run.",
        common=common,
        proof=proof,
    )


def _contradiction(first: Walk, second: Walk, common: int) -> tuple[Signed, Signed] | None:
    """A checkpoint of each over the first entry that differs; of one size where there is a pair."""
    ours = [each for each in first.checkpoints if each.checkpoint.size > common]
    theirs = {each.checkpoint.size: each for each in second.checkpoints}
    theirs = {size: each for size, each in theirs.items() if size > common}
    if not ours or not theirs:
        return None
    for signed in ours:
        if signed.checkpoint.size in theirs:
            return signed, theirs[signed.checkpoint.size]
    return ours[0], next(iter(theirs.values()))


def _prefix(first: Walk, second: Walk, common: int) -> Comparison:
    ours, theirs = len(first.leaves), len(second.leaves)
    if ours == theirs:
        return Comparison(
            state="holds",
            relation="same",
            message=f"Both have the same {common} entries.",
            common=common,
        )
    shorter, longer = ("first", "second") if ours < theirs else ("second", "first")
    return Comparison(
        state="holds",
        relation="first-is-prefix" if ours < theirs else "second-is-prefix",
        message=f"Consistent: the {longer} goes on from the {common} entries of the {shorter}.",
        common=common,
    )


def _different(message: str) -> Comparison:
    return Comparison(state="broken", relation="segment-wrong", message=message, common=0)


def _common(first: list[str], second: list[str]) -> int:
    # A leaf binds everything before it, so equal leaves at one place mean equal beginnings.
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[middle - 1] == second[middle - 1]:
            low = middle
        else:
            high = middle - 1
    return low
