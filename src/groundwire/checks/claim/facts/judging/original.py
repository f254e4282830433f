"""The original's rule for one claim, for `rules = "original"`: the latest fact by arrival settles.

Context-integrity 7.4. No tolerance, no unit, no other spelling but a text that is a number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from groundwire.canon.jcs import JSON
from groundwire.checks.claim.facts.judging.fields import Place
from groundwire.checks.claim.facts.judging.judgement import Judgement
from groundwire.checks.claim.facts.judging.settling import value_of
from groundwire.checks.claim.facts.ledger import Fact
from groundwire.checks.conflicts import NoValue, Said, Stated, conflicts

_UNKNOWN = "unknown"
# What the number parser of the original's host takes, blanks around it trimmed.
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_BASED = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)", re.ASCII)
_LONGEST = 400


def judge_original(place: Place, facts: Sequence[Fact]) -> Judgement:
    """What the original says of this claim; `facts` in the order in which they arrived."""
    if not facts:
        return Judgement("unreachable", "uncollected")
    last, earlier = facts[-1], tuple(facts[:-1])
    said = value_of(last)
    if isinstance(said, NoValue):
        return Judgement("unreachable", f"fact-{said.kind}", (last,))
    settled = said.value
    if place.value is None or place.value == _UNKNOWN:
        agreed = settled is None or settled == _UNKNOWN
        return Judgement("same" if agreed else "declined", "", (last,))
    if _is_that_number(place.value, settled) or not _conflict(place.value, settled):
        return Judgement("same", "exact", (last,))
    return Judgement("contradicted", "original", (last,), earlier)


def _conflict(claimed: JSON, settled: JSON) -> bool:
    both = (claimed, settled)
    return bool(
        conflicts([Stated(subject=("entity", ""), predicate="", value=Said(v)) for v in both])
    )


def _is_that_number(claimed: JSON, settled: JSON) -> bool:
    """A text that parses to exactly the settled number; not the other way round."""
    if not isinstance(claimed, str) or isinstance(settled, bool):
        return False
    if not isinstance(settled, int | float):
        return False
    number = _parsed(claimed.strip())
    try:
        return number is not None and number == float(settled)
    except OverflowError:
        return False


def _parsed(text: str) -> float | None:
    if len(text) > _LONGEST:
        return None
    try:
        if _BASED.fullmatch(text):
            return float(int(text, 0))
        number = float(text) if _DECIMAL.fullmatch(text) else math.nan
    except (OverflowError, ValueError):
        return None
    return number if math.isfinite(number) else None
