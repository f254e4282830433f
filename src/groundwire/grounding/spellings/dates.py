"""Dates and times of day: the same moment, written as people and other programs write it.

Reads ISO dates, times of day, and both together. A date without its year counts only where the
year was served as well. Nothing is computed: a date that is a day later was not served.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MOMENT = re.compile(
    r"(?:(?P<year>\d{4})[-/](?P<month>0[1-9]|1[0-2])[-/](?P<day>0[1-9]|[12]\d|3[01]))?"
    r"(?P<gap>t| |, )?"
    r"(?:(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:\.0+)?)?"
    r" ?(?P<half>[ap]m)?(?:z|[+-]\d\d:?\d\d)?)?"
)

# How far a model computes across the turn of a year.
_NEAR = 45

# Whether a spelling stands whole in what was served, with these characters also separating.
Stands = Callable[[str, str], bool]


def is_moment(folded: str) -> bool:
    """Whether the folded value is nothing but an ISO date, a time of day, or both."""
    return _read(folded) is not None


def year_of(folded: str) -> str:
    """The year of the folded value if it is a date, else nothing."""
    moment = _read(folded)
    return (moment["year"] or "") if moment is not None else ""


def years_near(folded: str) -> tuple[str, ...]:
    """The year of the folded date, and the one that it is within `_NEAR` days of."""
    moment = _read(folded)
    if moment is None or not moment["year"]:
        return ()
    year, month, day = int(moment["year"]), int(moment["month"]), int(moment["day"])
    passed = (month - 1) * 30 + day
    if passed <= _NEAR:
        return f"{year:04}", f"{year - 1:04}"
    return (f"{year:04}", f"{year + 1:04}") if passed > 365 - _NEAR else (f"{year:04}",)


def is_served_moment(folded: str, stands: Stands) -> bool:
    """Whether the date and the time in the folded value were each served in some spelling."""
    moment = _read(folded)
    if moment is None:
        return False
    year, month, day, hour, minute, second, half = moment.group(
        "year", "month", "day", "hour", "minute", "second", "half"
    )
    if year and not _is_served_date(int(year), int(month), int(day), stands):
        return False
    if hour is None:
        return True
    clock = int(hour) % 12 + 12 * (half == "pm") if half else int(hour)
    return any(stands(text, "-") for text in _clocks(clock, int(minute), int(second or 0)))


def _read(folded: str) -> re.Match[str] | None:
    moment = _MOMENT.fullmatch(folded)
    if moment is None or not (moment["year"] or moment["hour"]):
        return None
    joined = bool(moment["year"] and moment["hour"])
    return moment if joined == bool(moment["gap"]) else None


def _is_served_date(year: int, month: int, day: int, stands: Stands) -> bool:
    if any(stands(text, "") for text in _dates(year, month, day)):
        return True
    return any(stands(text, "") for text in _days(month, day)) and stands(f"{year:04}", "-/")


def _dates(year: int, month: int, day: int) -> Iterator[str]:
    for separator in "-/.":
        yield f"{year:04}{separator}{month:02}{separator}{day:02}"
        yield f"{month}{separator}{day}{separator}{year}"
        yield f"{month:02}{separator}{day:02}{separator}{year}"
        yield f"{day}{separator}{month}{separator}{year}"
        yield f"{day:02}{separator}{month:02}{separator}{year}"
    yield f"{year:04}{month:02}{day:02}"


def _days(month: int, day: int) -> Iterator[str]:
    suffix = "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    name = _MONTHS[month - 1]
    for word in dict.fromkeys((name, name[:3], f"{name[:3]}.")):
        for number in dict.fromkeys((f"{day}{suffix}", f"{day}", f"{day:02}")):
            yield f"{word} {number}"
            yield f"{number} {word}"
            yield f"{number} of {word}"
    yield f"{month}/{day}"
    yield f"{month:02}/{day:02}"
    yield f"{month:02}-{day:02}"


def _clocks(hour: int, minute: int, second: int) -> Iterator[str]:
    if second:
        yield f"{hour:02}:{minute:02}:{second:02}"
        return
    yield f"{hour:02}:{minute:02}"
    yield f"{hour}:{minute:02}"
    yield f"{hour:02}:{minute:02}:00"
    twelve, half = (hour % 12 or 12), ("am", "pm")[hour >= 12]
    for clock in (f"{twelve}:{minute:02}", *([f"{twelve}"] if not minute else [])):
        for gap in ("", " "):
            yield f"{clock}{gap}{half}"
            yield f"{clock}{gap}{half[0]}.m"
