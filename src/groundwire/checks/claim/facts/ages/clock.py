"""Clock: how old a result was when the answer came, as a floor; never a guess.

Two things are known: the result was not measured after it was shown, and what it says of itself.
A moment that names no zone may be off by half a day, and a date by a day more.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from groundwire.canon.jcs import JSON
from groundwire.canon.paths import values_at
from groundwire.documents.fact import facts_in
from groundwire.documents.instant import WIDEST, Instant, read_instant

_DAY = timedelta(days=1)


def age_floor(now: str, shown: str, measured: Sequence[Instant]) -> timedelta | None:
    """The least that the result's age can have been at `now`; None where there is no clock.

    `now` and `shown` are time stamps of the run. A moment after `now` says nothing.
    """
    at = read_instant(now)
    if at is None or not at.zoned:
        return None
    ages = [at.moment - latest for latest in _latest(shown, measured)]
    return max((age for age in ages if age >= timedelta(0)), default=None)


def measured_in(value: JSON, as_of: str) -> list[Instant]:
    """When a result says that it was measured: at the declared path, or as `gw.Facts` says it."""
    known = facts_in(value)
    said: list[JSON] = [] if known is None else [known.measured_at]
    if as_of:
        said += values_at(value, as_of)
    return [moment for each in said if (moment := read_instant(each)) is not None]


def _latest(shown: str, measured: Sequence[Instant]) -> list[datetime]:
    """The latest moments at which it can have been measured, by each of the two."""
    found: list[datetime] = []
    served = read_instant(shown)
    if served is not None and served.zoned:
        found.append(served.moment)
    if measured and served is not None:
        # Of several rows the newest counts for all: which of them the answer has is not known.
        found.append(max(_ceiling(each, served) for each in measured))
    return found


def _ceiling(measured: Instant, served: Instant) -> datetime:
    if measured.zoned:
        return measured.moment
    moment = measured.moment.replace(tzinfo=served.moment.tzinfo) + WIDEST
    return moment + _DAY if measured.day else moment
