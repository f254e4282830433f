"""Agreement: whether a claimed value is what a fact says, by which spelling, or only perhaps.

Leans to agreement: what an honest writer might do to a value is no contradiction. What was
declared of the claim (tolerance, unit, synonyms, capitals, sets) is taken at its word.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.checks.claim.facts.judging.amounts import Amount, Terms, agree_amounts, amount_of
from groundwire.checks.conflicts import render
from groundwire.documents.instant import WIDEST, Instant, read_instant
from groundwire.grounding.folding import fold

Match: TypeAlias = Literal["same", "perhaps", "different"]
_DEEPEST = 40
_TRUTH = {"true": True, "false": False}


class Agreement(msgspec.Struct, frozen=True):
    """Whether they agree, and by what spelling: `exact`, `rounding`, `case` and so on."""

    match: Match
    how: str = ""


_SAME = Agreement("same", "exact")
_DIFFERENT = Agreement("different")


def agree(claimed: JSON, settled: JSON, terms: Terms, depth: int = _DEEPEST) -> Agreement:
    """How the claimed value stands to the settled one. Never raises for values that were read."""
    if render(claimed) == render(settled):
        left, right = amount_of(claimed), amount_of(settled)
        # One number under keys that end in two units is not yet one amount.
        if left is None or right is None:
            return _SAME
        return Agreement(*agree_amounts(left, right, terms))
    if not depth:
        return Agreement("perhaps", "nested")
    match claimed, settled:
        case (list(), list()):
            return _lists(claimed, settled, terms, depth)
        case (Mapping(), Mapping()):
            if set(claimed) != set(settled):
                return _DIFFERENT
            return _worst([agree(claimed[k], settled[k], terms, depth - 1) for k in claimed])
        case (list() | Mapping(), _) | (_, list() | Mapping()):
            return _DIFFERENT
        case _:
            return _scalars(claimed, settled, terms)


def is_declined(value: JSON) -> bool:
    """Whether the answer says that it does not know: null, nothing, or a word for it."""
    return value is None or (isinstance(value, str) and fold(value) in _NOT_KNOWN)


_NOT_KNOWN = frozenset(("", "unknown", "n/a", "not known", "not available"))


def _scalars(claimed: JSON, settled: JSON, terms: Terms) -> Agreement:
    if claimed is None or settled is None:
        return _DIFFERENT
    if _are_synonyms(claimed, settled, terms.synonyms):
        return Agreement("same", "synonym")
    if isinstance(claimed, bool) or isinstance(settled, bool):
        return Agreement("same", "spelling") if _truth(claimed) is _truth(settled) else _DIFFERENT
    left, right = amount_of(claimed), amount_of(settled)
    if left is not None and right is not None and not _are_names(claimed, settled, left, right):
        return Agreement(*agree_amounts(left, right, terms))
    if isinstance(claimed, str) and isinstance(settled, str):
        return _texts(claimed, settled, terms)
    moment = _moments(claimed, settled)
    return _DIFFERENT if moment is None else moment


def _are_names(claimed: JSON, settled: JSON, left: Amount, right: Amount) -> bool:
    """Two texts of digits that begin with a zero: names rather than amounts."""
    both = isinstance(claimed, str) and isinstance(settled, str)
    return both and (left.padded or right.padded)


def _texts(claimed: str, settled: str, terms: Terms) -> Agreement:
    if _spaced(claimed) == _spaced(settled):
        return Agreement("same", "spelling")
    moment = _moments(claimed, settled)
    if moment is not None:
        return moment
    if fold(claimed) != fold(settled):
        return _DIFFERENT
    if _spaced(claimed).casefold() != _spaced(settled).casefold():
        return Agreement("same", "spelling")  # typographic quotes and dashes
    return Agreement("same" if terms.ignore_case else "perhaps", "case")


def _moments(claimed: JSON, settled: JSON) -> Agreement | None:
    """Two dates or moments; None where one of them is something else."""
    left, right = read_instant(claimed), read_instant(settled)
    if left is None or right is None:
        return None
    if left.sorts_with(right):
        return Agreement("same", "date") if left.moment == right.moment else _DIFFERENT
    if left.day != right.day:
        return _day_of(*((left, right) if left.day else (right, left)))
    # One names its zone and the other does not.
    apart = abs(left.moment.replace(tzinfo=None) - right.moment.replace(tzinfo=None))
    return Agreement("perhaps", "time-zone") if apart <= WIDEST else _DIFFERENT


def _day_of(day: Instant, moment: Instant) -> Agreement:
    if day.moment.date() == moment.moment.date():
        return Agreement("same", "date")
    apart = abs(day.moment - moment.moment.replace(tzinfo=None))
    near = moment.zoned and apart <= WIDEST + 2 * WIDEST
    return Agreement("perhaps", "time-zone") if near else _DIFFERENT


def _lists(claimed: Sequence[JSON], settled: Sequence[JSON], terms: Terms, depth: int) -> Agreement:
    def same(left: JSON, right: JSON) -> Agreement:
        return agree(left, right, terms, depth - 1)

    if len(claimed) == len(settled):
        pairs = [same(left, right) for left, right in zip(claimed, settled, strict=True)]
        if _worst(pairs).match != "different":
            return _worst(pairs)
    if _are_sets(claimed, settled, same):
        repeats = len(claimed) == len(settled)
        return Agreement("same" if terms.as_set else "perhaps", "order" if repeats else "set")
    return _DIFFERENT


_MOST = 2_000


def _are_sets(
    claimed: Sequence[JSON], settled: Sequence[JSON], same: Callable[[JSON, JSON], Agreement]
) -> bool:
    """Whether each has a counterpart on the other side."""
    if set(map(render, claimed)) == set(map(render, settled)):
        return True
    if len(claimed) * len(settled) > _MOST:
        return False
    return all(any(same(left, r).match == "same" for r in settled) for left in claimed) and all(
        any(same(left, r).match == "same" for left in claimed) for r in settled
    )


def _worst(found: Sequence[Agreement]) -> Agreement:
    for word in ("different", "perhaps"):
        for one in found:
            if one.match == word:
                return one
    return next((one for one in found if one.how != "exact"), _SAME)


def _are_synonyms(claimed: JSON, settled: JSON, groups: Sequence[Sequence[str]]) -> bool:
    if not groups:
        return False
    both = {fold(v) if isinstance(v, str) else fold(render(v)) for v in (claimed, settled)}
    return any(both <= set(map(fold, group)) for group in groups)


def _truth(value: JSON) -> JSON:
    if isinstance(value, str):
        return _TRUTH.get(fold(value), value)
    return value


def _spaced(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
