"""Numbers and identifiers: what a run of characters with a digit in it is.

A number glued to letters in front (`T107`, `#W29`), with several points (`7.0.3`) or with more
than one hyphen (`555-010-0199`) is an identifier, not a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from groundwire.grounding.boundaries import UNSPACED
from groundwire.grounding.values.units import magnitude_after, magnitude_of, unit_after, unit_of
from groundwire.grounding.values.value import (
    EXACT,
    ONE,
    Joint,
    Unit,
    Value,
    decimal_of,
    places_step,
)

# A script without spaces has no words for a number to be a piece of.
_OUT = r"\s()\[\]{}<>\"`|*=;!?\u201c\u201d" + UNSPACED
_RUN = re.compile(rf"(?:[^{_OUT},'\u2019]|,(?=\d))*")
_EDGE = re.compile(rf"[{_OUT},'\u2019]")
_ASCII_EDGES = frozenset(filter(_EDGE.match, map(chr, range(128))))
_PLAIN = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?|\.\d+"
_ONE = re.compile(
    rf"(?P<loose>[~≈±])?(?P<sign>[-+\u2212])?(?P<money>(?:US|A|C|NZ|HK)?[$€£¥₹])?(?P<sign2>[-\u2212])?(?P<digits>{_PLAIN})"
    r"(?P<plus>\+)?-?(?P<tail>[A-Za-z°µ]{1,12}|k?m/[sh]|%)?"
)
_EUROPEAN = re.compile(r"(?P<money>[$€£]?)(?P<digits>\d{1,3}(?:\.\d{3})+,\d{1,2})(?P<tail>€|%)?")
_JOINTS: dict[str, Joint] = {
    "-": "dash", "\u2013": "dash", "\u2014": "dash", "/": "slash", "x": "times", "X": "times", "\u00d7": "times",
}  # fmt: skip
_JOINED = re.compile(r"(?<=\d)([-\u2013\u2014/x\u00d7X])(?=[$€£]?\d)")
_ABOUT = "~\u2248\u00b1"
ZERO = Decimal(0)
_MONEY = unit_of("$")
_ORDINAL = frozenset({"st", "nd", "rd", "th"})
_LETTER_MONEY = re.compile(r"(?:USD|EUR|GBP|INR|CHF|Rs\.?)[ ]?$")
_SYMBOL = re.compile(r"[$€£¥₹][ ]?$")
_LOOSE = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|over|under|some|circa|ca\."
    r"|more than|less than|at least|at most|up to|just)|[~≈])[ ]?$",
    re.IGNORECASE,
)
# What the character before a number is where one of the three above may end there.
_MONEY_ENDS = frozenset("DRPFs.$€£¥₹")
_LOOSE_ENDS = frozenset("tdyxrenao.~≈")
_LEAD = "+-\u2212\u2013~≈±.:'_/\\#@&%^"


def run_around(text: str, digit: int, first: int) -> tuple[int, int]:
    """The run of characters around the digit at this place, beginning at `first` at the earliest."""
    start = digit
    while start > first:
        before = text[start - 1]
        if before in _ASCII_EDGES or (before > "\x7f" and _EDGE.match(before)):
            break
        start -= 1
    found = _RUN.match(text, digit)
    return start, max(found.end() if found else 0, digit + 1)


def read_run(text: str, start: int, end: int) -> Iterator[Value]:
    """What stands in this run: one number, two or three joined ones, or one identifier."""
    while end > start and text[end - 1] in ".:,'\u2019-\u2013_/\\&+#@^~":
        end -= 1
    if start > 0 and text[start] == "-" and text[start - 1].isalnum():
        start += 1
    run = text[start:end]
    whole = _number(text, start, end, run)
    if whole is not None:
        yield whole
        return
    pieces = list(_pieces(run))
    if len(pieces) > 1 and (values := _joined(text, start, pieces)):
        yield from values
        return
    if "," in run and _lists_numbers(run):
        position = start
        for part in run.split(","):
            if part:
                yield from read_run(text, position, position + len(part))
            position += len(part) + 1
        return
    if identifier := _identifier(start, run):
        yield identifier


def _lists_numbers(run: str) -> bool:
    return all(any(map(str.isdigit, part)) for part in run.split(","))


def _pieces(run: str) -> Iterator[tuple[int, int, Joint]]:
    position = 0
    joint: Joint = ""
    for found in _JOINED.finditer(run):
        yield position, found.start(), joint
        joint, position = _JOINTS[found[1]], found.end()
    yield position, len(run), joint


def _joined(text: str, start: int, pieces: list[tuple[int, int, Joint]]) -> list[Value]:
    """Two or three numbers with one kind of joint between them; empty for anything else."""
    joints = {joint for _, _, joint in pieces[1:]}
    most = 3 if joints <= {"times"} else 2
    if len(joints) != 1 or len(pieces) > most:
        return []
    (joint,) = joints
    values: list[Value] = []
    for first, last, _ in pieces:
        piece = text[start + first : start + last]
        value = _number(text, start + first, start + last, piece)
        if value is None or (piece.startswith("0") and len(piece) > 1 and piece.isdigit()):
            return []
        values.append(value)
    unit = values[-1].unit
    return [_with_joint(value, joint, unit) for value in values]


def _with_joint(value: Value, joint: Joint, unit: Unit | None) -> Value:
    return Value(
        start=value.start,
        end=value.end,
        kind="number",
        number=value.number,
        step=value.step,
        magnitude=value.magnitude,
        unit=value.unit or unit,
        loose=value.loose,
        joint=joint,
    )


def _number(text: str, start: int, end: int, run: str) -> Value | None:
    if run.isdecimal() and run.isascii():
        whole = decimal_of(run)
        if whole is None:
            return None
        unit = _MONEY if _is_money(text, start) else None
        return _scaled(text, (start, end), "", whole, unit=unit)
    found = _ONE.fullmatch(run)
    if found is None:
        return _european(text, start, end, run)
    digits, tail = found["digits"], found["tail"] or ""
    plain = digits.replace(",", "")
    number = decimal_of(plain)
    if number is None:
        return None
    magnitude, unit = ONE, None
    ordinal = tail.lower() in _ORDINAL
    if tail and not ordinal:
        unit = unit_of(tail)
        scaled = magnitude_of(tail) if found["money"] or tail in "kK" or unit is None else None
        if scaled is not None:
            magnitude, unit = scaled, None
        elif unit is None and not _is_word_tail(run, tail):
            return None
    if found["sign"] in {"-", "\u2212"} or found["sign2"]:
        number = -number
    step = places_step(plain) if "e" not in plain and "E" not in plain else ONE
    if found["money"] or _is_money(text, start):
        unit = _MONEY
    return _scaled(
        text,
        (start, end),
        tail,
        number,
        step=step,
        magnitude=magnitude,
        unit=unit,
        ordinal=ordinal,
    )


def _is_money(text: str, start: int) -> bool:
    """Whether a currency stands right before this place."""
    if _last_before(text, start) not in _MONEY_ENDS:
        return False
    return (
        _LETTER_MONEY.search(text, max(0, start - 5), start) is not None
        or _SYMBOL.search(text, max(0, start - 2), start) is not None
    )


def _is_loose(text: str, start: int) -> bool:
    """Whether the number that begins here is said to be no exact one."""
    if text[start] in _ABOUT:
        return True
    if _last_before(text, start).lower() not in _LOOSE_ENDS:
        return False
    return _LOOSE.search(text, max(0, start - 16), start) is not None


def _last_before(text: str, start: int) -> str:
    """The last character before this place that is no space or line end, of the three before it."""
    before = text[max(0, start - 3) : start]
    return before.rstrip(" \n")[-1:]


def _scaled(
    text: str,
    place: tuple[int, int],
    tail: str,
    number: Decimal,
    *,
    step: Decimal = ONE,
    magnitude: Decimal = ONE,
    unit: Unit | None = None,
    ordinal: bool = False,
) -> Value:
    """The number with the magnitude and unit that stand behind it, and what stands before it."""
    start, end = place
    word = magnitude_after(text, end) if not tail else None
    if word is not None:
        magnitude, end = word
    bare = unit is None and not ordinal and (not tail or magnitude != ONE)
    after = unit_after(text, end) if bare else None
    if after is not None:
        unit, end = after
    if magnitude != ONE:
        number, step = EXACT.multiply(number, magnitude), EXACT.multiply(step, magnitude)
    return Value(
        start=start,
        end=end,
        kind="number",
        number=number or ZERO,
        step=step,
        magnitude=magnitude,
        unit=unit,
        ordinal=ordinal,
        loose=_is_loose(text, start),
    )


def _european(text: str, start: int, end: int, run: str) -> Value | None:
    """1.234,5: a point between groups of three and a comma after them can mean one thing only."""
    found = _EUROPEAN.fullmatch(run)
    if found is None:
        return None
    plain = found["digits"].replace(".", "").replace(",", ".")
    number = decimal_of(plain)
    if number is None:
        return None
    tail = found["tail"] or ""
    unit = unit_of(tail) if tail else _MONEY if found["money"] else None
    return _scaled(text, (start, end), tail, number, step=places_step(plain), unit=unit)


def _is_word_tail(run: str, tail: str) -> bool:
    """Whether letters behind a number are a word of their own: `48-port`, `12-month`, `2GB`."""
    return f"-{tail}" in run


def _identifier(start: int, run: str) -> Value | None:
    lead = len(run) - len(run.lstrip(_LEAD))
    folded = run[lead:].rstrip("%").lower()
    if len(folded) < 2:
        return None
    begin = start + lead
    return Value(start=begin, end=begin + len(folded), kind="identifier", folded=folded)
