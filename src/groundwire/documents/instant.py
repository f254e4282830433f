"""Instant: a moment as hosts and tools spell it, read from a short closed list of spellings."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

import msgspec

from groundwire.canon.jcs import JSON

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?[ ]?(Z|z|[+-]\d\d(?::?\d\d)?)?"
)
_WORDED = re.compile(r"(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d")
# Seconds or milliseconds since 1970, in the years 2001 to 2286: smaller numbers are anything.
_SECONDS: Final = range(10**9, 10**10)
_MILLISECONDS: Final = range(10**12, 10**13)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# No clock on earth is further from UTC; by so much may a moment be off that names no zone.
WIDEST: Final = timedelta(hours=14)


class Instant(msgspec.Struct, frozen=True):
    """`moment` is in UTC where a zone was named (`zoned`), else as it was written. `day`: no time."""

    moment: datetime
    zoned: bool
    day: bool = False

    def sorts_with(self, other: Instant) -> bool:
        """Whether anybody can say which of the two is the later one."""
        return self.zoned == other.zoned and self.day == other.day


def read_instant(value: JSON) -> Instant | None:
    """The moment that the value spells; None where it is none of these spellings.

    ISO 8601 dates and date-times with or without seconds, fractions and offset; RFC 2822;
    whole seconds or milliseconds since 1970. No other number and no word is a moment.
    """
    if isinstance(value, bool):
        return None
    try:
        if isinstance(value, int | float):
            return _since_1970(value)
        return _spelled(value.strip()) if isinstance(value, str) and len(value) <= 64 else None
    except (ValueError, OverflowError):
        return None


def _since_1970(number: float) -> Instant | None:
    if int(number) in _SECONDS:
        return Instant(_EPOCH + timedelta(seconds=number), zoned=True)
    if int(number) in _MILLISECONDS:
        return Instant(_EPOCH + timedelta(milliseconds=number), zoned=True)
    return None


def _spelled(text: str) -> Instant | None:
    if _DAY.fullmatch(text):
        return Instant(datetime.fromisoformat(text), zoned=False, day=True)
    found = _MOMENT.fullmatch(text)
    if found is not None:
        day, clock, fraction, zone = found.groups()
        fraction = f".{fraction[:6]:0<6}" if fraction else ""
        zone = (zone or "").upper()
        moment = datetime.fromisoformat(f"{day}T{clock}{fraction}{zone}")
    elif _WORDED.match(text):
        moment = parsedate_to_datetime(text)
    else:
        return None
    if moment.tzinfo is None:
        return Instant(moment, zoned=False)
    return Instant(moment.astimezone(UTC), zoned=True)
