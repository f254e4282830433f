"""Dates and times of day in the common spellings, with where they stand. Nothing is computed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from groundwire.grounding.values.value import Value

_NAMES = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    "oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_MONTHS = {
    name: n
    for n, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
    )
}
_NTH = r"(?:st|nd|rd|th)?"
_EDGE, _END = r"(?<![\w$€£#.\-/:,])", r"(?![\w%]|[.:/-]\d)"
_CLOCK = r"(?P<h{0}>[01]?\d|2[0-4]):(?P<m{0}>[0-5]\d)(?::(?P<s{0}>[0-5]\d)(?:\.\d+)?)?"
_HALF = r"(?:[ \u00a0\u202f]?(?P<p{0}>[ap])\.?m\b\.?)"
_MOMENT = re.compile(
    r"(?<!\d)(?P<y9>[12]\d{3})\u5e74(?P<mo9>1[0-2]|0?[1-9])\u6708(?P<d9>[12]\d|3[01]|0?[1-9])\u65e5|"
    + _EDGE
    + r"(?:"
    + r"(?P<y1>[12]\d{3})(?P<sep>[-/.])(?P<mo1>0?[1-9]|1[0-2])(?P=sep)(?P<d1>3[01]|[12]\d|0?[1-9])"
    + r"(?:[T ]" + _CLOCK.format(1) + r"(?:" + _HALF.format(1) + r"|Z|[ ]?[+-]\d\d:?\d\d)?)?" + _END
    + r"|(?P<a2>0?[1-9]|[12]\d|3[01])(?P<sep2>[-/.])(?P<b2>0?[1-9]|[12]\d|3[01])(?P=sep2)(?P<y2>[12]\d{3})" + _END
    + rf"|(?:(?P<mo3>{_NAMES})\b\.?[ \u00a0](?P<d3>[12]\d|3[01]|0?[1-9]){_NTH}(?!\w|:\d|\.\d)"
    + r"(?:[ \u00a0]?[-\u2013][ \u00a0]?(?P<e3>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?(?!\w|:\d|\.\d))?(?:(?:,|[ \u00a0]of)?[ \u00a0](?P<y3>[12]\d{3})(?!\d|:))?)"
    + rf"|(?:(?P<d4>[12]\d|3[01]|0?[1-9]){_NTH}[ \u00a0](?:of[ ])?(?P<mo4>{_NAMES})\b\.?(?:,?[ \u00a0](?P<y4>[12]\d{{3}})(?!\d|:))?)"
    + rf"|(?:(?P<mo5>{_NAMES})\b\.?,?[ \u00a0](?:of[ ])?(?P<y5>[12]\d{{3}}){_END})"
    + rf"|(?:(?P<y6>[12]\d{{3}}),?[ \u00a0](?P<mo6>{_NAMES})\b(?:[ ](?P<d6>[12]\d|3[01]|0?[1-9])(?!\w))?)"
    + r"|" + _CLOCK.format(7) + r"(?:" + _HALF.format(7) + r")?" + _END
    + r"|(?P<h8>1[0-2]|0?[1-9])" + _HALF.format(8)
    + r")",
    re.IGNORECASE,
)  # fmt: skip


# Where one can begin: at digits that one of these follows, or at a month with digits behind it. To
# look for these is many times faster than to try the expression at every character.
_DIGITS = re.compile(r"\d{1,4}(?=[-/.:]\d|,?[ \u00a0\u202f]?[^\W\d_])")
_NAME_ENDS = re.compile(r"[ynbrhlegtpvc]\.?,?[ \u00a0](?:of )?\d", re.IGNORECASE)
_NAME = re.compile(rf"(?:{_NAMES})\Z", re.IGNORECASE)
_LONGEST_NAME = 9


def read_moments(text: str) -> Iterator[Value]:
    """The dates and times of day that stand in the text, in order.

    A date with two numbers that could both be months is read with the month first and its other
    reading as `folded` (`31/12/2031` can only be one).
    """
    position = 0
    for start in _beginnings(text):
        found = _MOMENT.match(text, start) if start >= position else None
        if found is not None:
            yield from _values(found)
            position = found.end()


def _beginnings(text: str) -> list[int]:
    """Every place at which a moment may begin, in order; at most of them none does."""
    starts = [digits.start() for digits in _DIGITS.finditer(text)]
    digits_only = len(starts)
    for found in _NAME_ENDS.finditer(text):
        last = found.start() + 1
        if name := _NAME.search(text, max(0, last - _LONGEST_NAME), last):
            starts.append(name.start())
    if len(starts) > digits_only:
        starts.sort()
    return starts


def _values(found: re.Match[str]) -> Iterator[Value]:
    group = found.lastgroup
    start, end = found.span()
    if found["y1"]:
        day = (int(found["y1"]), int(found["mo1"]), int(found["d1"]))
        clock = found["h1"]
        stop = found.start("h1") - 1 if clock else end
        yield _date(start, stop, day)
        if clock:
            yield _time(found, "1", found.start("h1"), end)
    elif found["y9"]:
        yield _date(start, end, (int(found["y9"]), int(found["mo9"]), int(found["d9"])))
    elif found["y2"]:
        a, b, year = int(found["a2"]), int(found["b2"]), int(found["y2"])
        month, day_ = (a, b) if a <= 12 else (b, a)
        if month <= 12:
            other = f"{year}-{day_}-{month}" if day_ <= 12 else ""
            yield _date(start, end, (year, month, day_), other)
    elif found["h7"]:
        yield _time(found, "7", start, end)
    elif found["h8"]:
        yield _time(found, "8", start, end)
    elif group is not None:
        yield from _named(found, start, end)


def _named(found: re.Match[str], start: int, end: int) -> Iterator[Value]:
    for number in "3456":
        name = found[f"mo{number}"]
        if not name:
            continue
        if number == "5" and name.lower() in {"may", "march"} and name.islower():
            return  # "may 2000 people": a verb as often as a month
        month = _MONTHS[name[:3].casefold()]
        year = int(found[f"y{number}"] or 0)
        day = int((found[f"d{number}"] if number != "5" else None) or 0)
        yield _date(start, end, (year, month, day))
        if number == "3" and found["e3"]:
            yield _date(found.start("e3"), end, (year, month, int(found["e3"])))
        return


def _date(start: int, end: int, day: tuple[int, int, int], other: str = "") -> Value:
    return Value(start=start, end=end, kind="date", moment=day, folded=other)


def _time(found: re.Match[str], number: str, start: int, end: int) -> Value:
    hour = int(found[f"h{number}"])
    minute = int((found[f"m{number}"] if number != "8" else None) or 0)
    stated = found[f"s{number}"] if number != "8" else None
    half = found[f"p{number}"]
    if half and hour <= 12:
        hour = hour % 12 + 12 * (half.lower() == "p")
    return Value(
        start=start,
        end=end,
        kind="time",
        moment=(hour % 24, minute, int(stated or 0)),
        folded="" if half or hour > 12 else "either",
        seconds=stated is not None,
    )
