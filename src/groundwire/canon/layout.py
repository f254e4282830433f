"""Layout: where the members and elements of one JSON container stand in its bytes.

The machinery of `positions`. msgspec skips values at memory speed and says how long each is; the
places follow from the lengths, and are proven by comparison with the bytes. Everything here takes a
container whose bytes are in UTF-8 and without white space around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, chain, islice, repeat
from typing import TypeVar

import msgspec

from groundwire.errors import EncodingError

_Decoded = TypeVar("_Decoded")

_ENCODER = msgspec.json.Encoder()
_VALUE = msgspec.json.Decoder(msgspec.Raw)
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_TEXT = msgspec.json.Decoder(str)

_SPACE = re.compile(rb"[ \t\n\r]*+")
_KEY = re.compile(rb'[ \t\n\r]*+"((?:[^"\\]++|\\.)*+)"[ \t\n\r]*+:[ \t\n\r]*+', re.DOTALL)
_COMMA = re.compile(rb"[ \t\n\r]*+,[ \t\n\r]*+")
_MEMBER_END = re.compile(rb"[ \t\n\r]*+[,}]")
_OBJECT_END = re.compile(rb"[ \t\n\r]*+\}")
_ARRAY_END = re.compile(rb"[ \t\n\r]*+\]")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)
_SCALAR = re.compile(rb"[^ \t\n\r,}\]]++")
# Up to so many parts are walked one by one, and so many bytes are searched comma by comma.
_FEW = 32
_NEAR = 4096


class Range(msgspec.Struct, frozen=True):
    """`[start, end)` in bytes of a body."""

    start: int
    end: int


def demand_value(body: bytes, place: Range) -> None:
    """One well-formed JSON value stands in these bytes.

    Raises:
        EncodingError: `not-json`, `too-deep`.
    """
    _decoded(_VALUE, memoryview(body)[place.start : place.end])


def text_of(spelled: bytes) -> str:
    """The text of a JSON string, quotes included.

    Raises:
        EncodingError: `not-json`, also for a lone surrogate.
    """
    return _decoded(_TEXT, spelled)


def member(body: bytes, place: Range, key: str) -> Range:
    """Where the value of `key` stands in the object at `place`: the last one, if it stands twice.

    Raises:
        EncodingError: `no-such-value`, `not-json`, `too-deep`.
    """
    raws = _decoded(_OBJECT, memoryview(body)[place.start : place.end])
    if key not in raws:
        raise no_such_value()
    start = _regular_member(body, place, raws, key) if len(raws) > _FEW else None
    if start is None:
        start = _last_member(body, place, raws, key)
    return Range(start, start + len(raws[key]))


def _regular_member(
    body: bytes, place: Range, raws: dict[str, msgspec.Raw], key: str
) -> int | None:
    """Where the value of `key` begins, if the object is written in one rhythm and no key twice.

    Most writers put the same bytes between all members; then one comparison proves every place.
    """
    first = _KEY.match(body, place.start + 1, place.end)
    if first is None:
        return None
    colon = body[first.end(1) + 1 : first.end()]
    comma = _COMMA.match(body, first.end() + len(next(iter(raws.values()))))
    gap = comma[0] if comma else b""
    names = _decoded(_ARRAY, _ENCODER.encode(list(raws)))
    gaps = chain((b"",), repeat(gap))
    parts = zip(gaps, names, repeat(colon), raws.values(), strict=False)
    joined = b"".join(chain.from_iterable(parts))
    begin = first.start(1) - 1
    if not body.startswith(joined, begin):
        return None
    if not _OBJECT_END.fullmatch(body, begin + len(joined), place.end):
        return None
    index = list(raws).index(key)
    passed = sum(map(len, names[: index + 1])) + sum(map(len, islice(raws.values(), index)))
    return begin + passed + index * len(gap) + (index + 1) * len(colon)


def _last_member(body: bytes, place: Range, raws: dict[str, msgspec.Raw], key: str) -> int:
    """Where the last value of `key` begins, member by member."""
    found = None
    position = place.start + 1
    while match := _KEY.match(body, position, place.end):
        name = _name(match[1])
        start = match.end()
        end = start + len(raws[name])
        # Of a key that stands twice only the last value is known: an earlier one is skipped here.
        if not body.startswith(raws[name], start) or not _MEMBER_END.match(body, end):
            end = _skip(body, start)
        if name == key:
            found = start
        position = _end(_MEMBER_END.match(body, end))
    if found is None or position != place.end or not body.startswith(raws[key], found):
        raise no_such_value()
    return found


def element(body: bytes, place: Range, index: int) -> Range:
    """Where element `index` of the array at `place` stands.

    Raises:
        EncodingError: `no-such-value`, `not-json`, `too-deep`.
    """
    inside = Range(place.start + 1, place.end - 1)
    if all(body.find(mark, inside.start, inside.end) < 0 for mark in (b'"', b"[", b"{")):
        demand_value(body, place)
        return _flat_element(body, inside, index)
    raws = _decoded(_ARRAY, memoryview(body)[place.start : place.end])
    if index >= len(raws):
        raise no_such_value()
    start = next(islice(_starts(body, place, raws), index, None))
    return Range(start, start + len(raws[index]))


def elements(body: bytes, place: Range) -> list[Range]:
    """Where each element of the array at `place` stands, in order.

    Raises:
        EncodingError: `not-json`, also where no array stands there; `too-deep`.
    """
    raws = _decoded(_ARRAY, memoryview(body)[place.start : place.end])
    starts = _starts(body, place, raws)
    return [Range(start, start + len(raw)) for start, raw in zip(starts, raws, strict=False)]


def _flat_element(body: bytes, inside: Range, index: int) -> Range:
    """The element of an array without texts and containers: its commas are all separators."""
    low, high, commas = inside.start, inside.end, index
    while high - low > _NEAR:
        middle = (low + high) // 2
        passed = body.count(b",", low, middle)
        if passed >= commas:
            high = middle
        else:
            low, commas = middle, commas - passed
    for _ in range(commas):
        low = body.find(b",", low, inside.end) + 1
        if low == 0:
            raise no_such_value()
    start = _end(_SPACE.match(body, low))
    return Range(start, _end(_SCALAR.match(body, start, inside.end)))


def _starts(body: bytes, place: Range, raws: list[msgspec.Raw]) -> Iterator[int]:
    """Where each element of the array at `place` begins."""
    first = _end(_SPACE.match(body, place.start + 1))
    if len(raws) <= _FEW:
        return _walk(body, first, raws)
    comma = _COMMA.match(body, first + len(raws[0]))
    gap = comma[0] if comma else b""
    # Most writers put the same bytes between all elements; then one comparison proves every place.
    joined = gap.join(raws)
    rest = first + len(joined)
    if body.startswith(joined, first) and _ARRAY_END.fullmatch(body, rest, place.end):
        return accumulate(map(len(gap).__add__, map(len, raws)), initial=first)
    return _walk(body, first, raws)


def _walk(body: bytes, position: int, raws: list[msgspec.Raw]) -> Iterator[int]:
    for raw in raws:
        if not body.startswith(raw, position):
            raise no_such_value()
        yield position
        after = position + len(raw)
        comma = _COMMA.match(body, after)
        position = comma.end() if comma else after


def _name(spelled: bytes) -> str:
    if b"\\" in spelled:
        return text_of(b'"' + spelled + b'"')
    return spelled.decode("utf-8")


def _skip(body: bytes, start: int) -> int:
    """Where the value that begins at `start` ends, in a body known to be well-formed."""
    opening = body[start : start + 1]
    if opening == b'"':
        return _end(_STRING.match(body, start))
    if opening not in (b"{", b"["):
        return _end(_SCALAR.match(body, start))
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(body, start):
        if token[0] in (b"{", b"["):
            depth += 1
        elif token[0] in (b"}", b"]"):
            depth -= 1
            if depth == 0:
                return token.end()
    raise no_such_value()


def _end(match: re.Match[bytes] | None) -> int:
    if match is None:
        raise no_such_value()
    return match.end()


def _decoded(decoder: msgspec.json.Decoder[_Decoded], data: bytes | memoryview) -> _Decoded:
    try:
        return decoder.decode(data)
    except RecursionError as error:
        raise EncodingError("too-deep", "The body nests deeper than can be followed.") from error
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise EncodingError(
            "not-json", f"The bytes are not the JSON they should be: {error}."
        ) from error


def no_such_value() -> EncodingError:
    """The error that says so."""
    return EncodingError("no-such-value", "No value stands at this pointer.")
