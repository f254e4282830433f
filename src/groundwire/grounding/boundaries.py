r"""Boundaries: whether a value stands in a text as a whole, or inside something longer.

A *token* is letters and digits, with joiners (`- _ . / : @ + \`) where they stand between
two of them: `bkp-0917-delta`, `10.2.0.7`, `ops@example.com`, `/srv/app.log`. A value is whole
where it neither begins nor ends inside a token. Fences, each for an accusation that would be
plainly false:

* a word with a colon before a value is a label (`host:db-7`), and a colon with digits after one a
  line or port (`app.py:42`);
* a date is whole before the time of a time stamp (`2031-05-02T10:00`), a time before its seconds;
* scripts written without spaces (Chinese, Japanese, Thai, …) and Korean have no edges of words, so
  a value there is whole anywhere.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Standing: TypeAlias = Literal["whole", "inside", "absent"]

# Han, kana, Hangul, Thai, Lao, Myanmar, Khmer, and the ideographs beyond the basic plane.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u303f\u3040-\u31ff\u3400-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
_JOINERS = frozenset("-_./:@+\\")
_RUN = re.compile(rf"[^\W_{UNSPACED}]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")
# Read backwards from the colon: a bounded word of at least two letters that is no hexadecimal.
_LABEL = re.compile(r"(?:^|[^\w\-./:@+\\])(?![a-f]+$)[^\W\d_][^\W\d]*[^\W\d_]$")
_LINE = re.compile(r":\d{1,5}(?![\w\-./@+\\])")
_CLOCK = re.compile(r"t\d\d:\d\d")
_MINUTE = re.compile(r"(?:^|[t ])\d{1,2}:\d\d$")
_SECONDS = re.compile(r":\d\d(?:\.\d+)?(?:z|[+-]\d\d:?\d\d)?(?![\w:\-./@])")
_DAY = re.compile(r"\d{4}-\d\d-\d\d$")
_GROUP = re.compile(r",\d{3}(?!\d)")
_GROUPED = re.compile(r"(?:^|\D)\d{1,3}(?:,\d{3})*,$")
_REACH = 40


def standing(text: str, value: str, separators: str = "") -> tuple[Standing, int]:
    """How a folded, non-empty `value` stands in a folded `text`, and where (-1 for absent).

    `whole` wins over `inside` wherever they stand. `separators` are joiners that join nothing
    here: `/` for the names of a path. Linear in the text, up to the value's length.
    """
    inside = -1
    position = text.find(value)
    while position >= 0:
        if is_whole(text, position, position + len(value), separators):
            return "whole", position
        if inside < 0:
            inside = position
        # A run of letters that a value begins in, or ends in, holds no whole one further on.
        run = _RUN.match(text, position)
        position = text.find(value, max(position + 1, run.end() if run else 0))
    return ("absent", -1) if inside < 0 else ("inside", inside)


def is_whole(text: str, start: int, end: int, separators: str = "") -> bool:
    """Whether `text[start:end]` neither begins nor ends inside a token of a folded `text`."""
    begins = start > 0 and text[start - 1] in separators
    ends = end < len(text) and text[end] in separators
    return (begins or not _glued_before(text, start)) and (
        ends or not _glued_after(text, start, end)
    )


def token_around(text: str, start: int, end: int, reach: int = 200) -> str:
    """The longer token that `text[start:end]` stands in, cut at `reach` characters each way."""
    left, right = start, end
    while left > max(0, start - reach) and _glued_before(text, left):
        left -= 1
    while right < min(len(text), end + reach) and _glued_after(text, start, right):
        right += 1
    return text[left:right]


def _is_letter(text: str, position: int) -> bool:
    return 0 <= position < len(text) and text[position].isalnum()


def _glued_before(text: str, start: int) -> bool:
    if start == 0:
        return False
    before, first = text[start - 1], text[start]
    if before.isalnum():
        if first.isalnum():
            return not _unspaced(before, first)
        return first in _JOINERS and _is_letter(text, start + 1)
    back = text[max(0, start - _REACH) : start]
    match before:
        case ",":
            return bool(_GROUP.match(text, start - 1) and _GROUPED.search(back))
        case "_":
            return back.rstrip("_")[-1:].isalnum()
        case ":":
            return _is_letter(text, start - 2) and not _LABEL.search(back[:-1])
        case _:
            pass
    return before in _JOINERS and _is_letter(text, start - 2) and not _unspaced(text[start - 2])


def _glued_after(text: str, start: int, end: int) -> bool:
    if end >= len(text):
        return False
    after, last = text[end], text[end - 1]
    if after.isalnum():
        if not last.isalnum():
            return last in _JOINERS and _is_letter(text, end - 2)
        return not _unspaced(after, last) and not _ends_day(text, start, end)
    match after:
        case ",":
            back = text[max(start, end - _REACH) : end]
            return bool(_GROUP.match(text, end) and _GROUPED.search(back + ","))
        case "_":
            return text[end : end + _REACH].lstrip("_")[:1].isalnum()
        case ":":
            return _is_letter(text, end + 1) and not (
                _ends_minute(text, start, end) or _starts_line(text, start, end)
            )
        case "?" | "&" | "=" | "#":
            return _is_letter(text, end + 1) and _is_cut_address(text[start:end], after)
        case _:
            pass
    return after in _JOINERS and _is_letter(text, end + 1) and not _unspaced(text[end + 1])


def _is_cut_address(value: str, after: str) -> bool:
    if after == "?":
        return "/" in value
    return "?" in value or (after == "#" and "://" in value)


def _starts_line(text: str, start: int, end: int) -> bool:
    return ":" not in text[start:end].replace("://", "") and bool(_LINE.match(text, end))


def _ends_minute(text: str, start: int, end: int) -> bool:
    # 10:30 before the seconds of 10:30:00, but not the first octets of a hardware address.
    return bool(_SECONDS.match(text, end) and _MINUTE.search(text[max(start, end - 10) : end]))


def _ends_day(text: str, start: int, end: int) -> bool:
    return bool(_CLOCK.match(text, end) and _DAY.search(text[max(start, end - 10) : end]))


def _unspaced(*letters: str) -> bool:
    return any(_UNSPACED.match(letter) for letter in letters)
