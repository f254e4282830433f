"""JSON into its value; no key twice, no number silently rounded."""

from __future__ import annotations

import re

import msgspec

from groundwire.canon.jcs import decode_foreign
from groundwire.contracts.collecting import uncollected
from groundwire.contracts.reading.json_places import Places, steps_of
from groundwire.contracts.reading.numbers import Rounded, decimal
from groundwire.contracts.reading.plain_text import MAX_BYTES, demand_utf8, place
from groundwire.contracts.reading.unread import Settled, settle
from groundwire.contracts.reading.unreadable import Unreadable
from groundwire.errors import EncodingError

MAX_DEPTH = 256
# Objects and arrays; brackets in texts are counted with them.
MAX_CONTAINERS = 3_000_000

_AT_BYTE = re.compile(r" \(byte ([0-9]+)\)")
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\(u[dD][89a-fA-F])?.", re.DOTALL
)


def read_json(text: bytes) -> Settled:
    """The value of `text`; numbers that no float says are `number-inexact` in what is unread.

    Raises:
        Unreadable: `not-utf-8`, `not-json`, `lone-surrogate`, `key-repeated`, `too-deep`, `too-large`,
            `number-out-of-range` (an integer of over 4,300 digits).
    """
    # Each takes two bytes, and in memory thirty times as much.
    if len(text) > 2 * MAX_CONTAINERS and text.count(b"[") + text.count(b"{") > MAX_CONTAINERS:
        raise Unreadable("too-large", f"The file has over {MAX_CONTAINERS} objects and arrays.")
    rounded = _Rounded()
    try:
        with uncollected():
            found = decode_foreign(
                text, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH, read_float=rounded.read
            )
    except EncodingError as error:
        demand_utf8(text)
        raise _refusal(text, error) from error
    if found.duplicates:
        raise _duplicate(text, found.duplicates[0])
    if not rounded.any:
        return Settled(found.value)
    return settle(msgspec.json.Decoder(float_hook=decimal).decode(text))


class _Rounded:
    """Reads floats, and knows afterwards whether one of them was rounded."""

    def __init__(self) -> None:
        self.any = False

    def read(self, text: str) -> float:
        value = decimal(text)
        if type(value) is Rounded:
            self.any = True
        return float(value)


def _refusal(text: bytes, error: EncodingError) -> Unreadable:
    if error.reason == "too-deep":
        return Unreadable("too-deep", f"The file nests over {MAX_DEPTH} levels.")
    if error.reason == "number-out-of-range":
        return Unreadable("number-out-of-range", "An integer in the file has too many digits.")
    says = str(error.__cause__ or "").removeprefix("JSON is malformed: ")
    at_byte = _AT_BYTE.search(says)
    if at_byte is None or "surrogate" in says:
        half = _lone_surrogate(text)
        if half is not None:
            line, column = place(text, half)
            message = "A text in the file holds half a surrogate pair."
            return Unreadable("lone-surrogate", message, line, column)
    if at_byte is None:
        line, column = place(text, len(text))
        return Unreadable("not-json", "The file is no JSON: it ends too early.", line, column)
    line, column = place(text, min(int(at_byte[1]), len(text)))
    says = says[: at_byte.start()]
    return Unreadable("not-json", f"The file is no JSON: {says}.", line, column)


def _lone_surrogate(text: bytes) -> int | None:
    """Where the first half of a pair is spelled that has no other half."""
    for found in _ESCAPE.finditer(text):
        if found[1] is not None:
            return found.start()
    return None


def _duplicate(text: bytes, at: str) -> Unreadable:
    *outer, name = steps_of(at)
    places = Places(text)
    (line, column), again = places.twice(tuple(outer), name)
    says = f"The key at {at} stands twice, in line {line}, column {column}, and again."
    return Unreadable("key-repeated", says, *again)
