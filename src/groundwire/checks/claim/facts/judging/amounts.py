"""Amounts: whether two numbers state the same, with their units, in the precision they are stated in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Literal, TypeAlias

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.grounding.records.evidence import key_unit
from groundwire.grounding.values.reading import read_values
from groundwire.grounding.values.units import unit_of
from groundwire.grounding.values.value import EXACT, ONE, Unit, decimal_of, places_step

Verdict: TypeAlias = tuple[Literal["same", "perhaps", "different"], str]

# By so much differ sums of floats that are the same sum.
_NOISE = Decimal("1e-9")
# Rounding that moves a value further than this is no longer the same statement.
_COARSE = Decimal("0.05")
_HALF = Decimal("0.5")
_HUNDRED = Decimal(100)
_LONGEST = 80
_CURRENCY = re.compile(r"[$€£¥₹]|USD|EUR|GBP|INR|CHF|dollars?|euros?")
_CURRENCIES = {
    "dollar": "$", "dollars": "$", "USD": "$", "EUR": "€", "euro": "€", "euros": "€", "GBP": "£", "INR": "₹",
}  # fmt: skip


class Terms(msgspec.Struct, frozen=True):
    """What was declared of a claim, and the names of the two fields, which may end in a unit."""

    tolerance: str = ""
    unit: str = ""
    synonyms: tuple[tuple[str, ...], ...] = ()
    ignore_case: bool = False
    as_set: bool = False
    claimed_key: str = ""
    settled_key: str = ""
    off: tuple[str, ...] = ()


class Amount(msgspec.Struct, frozen=True):
    """A number; `step` is what its last stated digit is worth. `unit` only where it is stated beside it.

    `padded`: written with zeros in front.
    """

    number: Decimal
    step: Decimal = ONE
    unit: Unit | None = None
    padded: bool = False


def amount_of(value: JSON) -> Amount | None:
    """The number that a value is, or that a text is as a whole; None where it is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        # Longer ones are compared digit by digit, as what they are.
        number = decimal_of(str(value)) if abs(value) < 10**40 else None
        return None if number is None else Amount(number)
    if isinstance(value, float):
        number = decimal_of(repr(value))
        return None if number is None else Amount(number, _step(repr(value)))
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    text = value.strip()
    found = read_values(text, words=False)
    if len(found) != 1 or found[0].number is None or found[0].ordinal or found[0].joint:
        return None
    one = found[0]
    if (one.start, one.end) != (0, len(text)) or one.number is None:
        return None
    padded = text.isdigit() and len(text) > 1 and text.startswith("0")
    return Amount(one.number, one.step, _currency(one.unit, text), padded)


def agree_amounts(claimed: Amount, settled: Amount, terms: Terms) -> Verdict:
    """Whether both state the same amount, and by what.

    A unit that stands beside a number binds. One that only a key ends in adds ways to agree and
    takes none away: `latency_min` is a minimum as often as minutes.
    """
    declared = unit_of(terms.unit) if terms.unit else None
    left = claimed.unit or declared or key_unit(terms.claimed_key)
    right = settled.unit or key_unit(terms.settled_key) or declared
    if left is None or right is None or _is_one(left, right):
        found = _compare(claimed, settled, terms, ONE)
        if found[0] != "different" or (left or right) is None:
            return _unsure(found, claimed, settled, terms)
        shares = {u.family for u in (left, right) if u is not None} == {"share"}
        return _shares(claimed, settled, terms) if shares else found
    if left.family == right.family and left.family != "money":
        every = [_compare(claimed, settled, terms, ratio) for ratio in _ratios(left, right)]
        for found in sorted(every, key=lambda one: one[1] != "exact"):
            if found[0] != "different":
                return found[0], "unit" if found[1] == "exact" else found[1]
    plain = _compare(claimed, settled, terms, ONE)
    bound = claimed.unit is not None and (settled.unit is not None or declared is not None)
    return ("different", "unit") if bound or plain[0] == "different" else ("perhaps", "unit")


def within(claimed: Decimal, settled: Decimal, tolerance: str) -> bool:
    """Whether they differ by no more than was declared: an amount, or a share of the settled one."""
    share = tolerance.endswith("%")
    number = decimal_of(tolerance.rstrip("%").strip())
    if number is None:
        return False
    margin = EXACT.multiply(abs(settled), EXACT.divide(number, _HUNDRED)) if share else number
    return abs(EXACT.subtract(claimed, settled)) <= margin


def _compare(claimed: Amount, settled: Amount, terms: Terms, ratio: Decimal) -> Verdict:
    number, step = EXACT.multiply(claimed.number, ratio), EXACT.multiply(claimed.step, ratio)
    apart = abs(EXACT.subtract(number, settled.number))
    if not apart:
        return "same", "exact"
    exact = all(n == n.to_integral_value() for n in (number, settled.number))
    largest = max(abs(number), abs(settled.number))
    if not exact and apart <= EXACT.multiply(largest, _NOISE):
        return "same", "float"
    if terms.tolerance:
        close = within(number, settled.number, terms.tolerance)
        return ("same", "tolerance") if close else ("different", "tolerance")
    if apart > EXACT.multiply(step, _HALF) or EXACT.remainder(settled.number, step) == 0:
        return "different", ""
    if "rounding" in terms.off:
        return "different", "rounding"
    fine = apart <= EXACT.multiply(abs(settled.number), _COARSE)
    return ("same" if fine else "perhaps"), "rounding"


def _unsure(found: Verdict, claimed: Amount, settled: Amount, terms: Terms) -> Verdict:
    """The answer names a unit that nothing on the other side is known to have."""
    alone = claimed.unit is not None and settled.unit is None and not terms.unit
    known = key_unit(terms.settled_key) is not None
    if found[0] == "same" and alone and not known and claimed.unit is not None:
        return ("same", "percent") if claimed.unit.family == "share" else ("perhaps", "unit")
    return found


def _shares(claimed: Amount, settled: Amount, terms: Terms) -> Verdict:
    """42 % and 0.42."""
    for ratio in (EXACT.divide(ONE, _HUNDRED), _HUNDRED):
        found = _compare(claimed, settled, terms, ratio)
        if found[0] != "different":
            return found[0], "percent"
    return "different", ""


def _ratios(left: Unit, right: Unit) -> Iterator[Decimal]:
    ratio = EXACT.divide(left.size, right.size)
    yield ratio
    if left.family == "data":
        # Powers of 1024 go by the names of powers of 1000.
        for power in range(-5, 6):
            if Decimal(1000) ** power == ratio:
                yield Decimal(1024) ** power


def _is_one(left: Unit, right: Unit) -> bool:
    if left.family == "money" and right.family == "money":
        return _CURRENCIES.get(left.name, left.name) == _CURRENCIES.get(right.name, right.name)
    return left.family == right.family and left.size == right.size


def _currency(unit: Unit | None, text: str) -> Unit | None:
    """The unit, money by the name that it has in the text: reading numbers keeps none of them apart."""
    found = _CURRENCY.search(text) if unit is not None and unit.family == "money" else None
    return unit if found is None else unit_of(found[0])


def _step(spelled: str) -> Decimal:
    return places_step(spelled) if "e" not in spelled else ONE
