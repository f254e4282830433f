"""Scan: JSON bytes taken apart one level at a time, every value left as it stood on the wire.

A parser folds away what evidence needs: the spelling of a value, its place, keys that stand twice.
Here a level is a list of keys with exact slices. White space follows RFC 8259. Escapes of lone
surrogates, which are no text but do cross the wire, are read as U+FFFD.
"""

from __future__ import annotations

import re

import msgspec
from msgspec import Raw

from groundwire.errors import EncodingError

_SPACE = re.compile(rb"[ \t\n\r]*")
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_ESCAPED = b"\\"
_BYTES = [bytes((number,)) for number in range(256)]


class _Key:
    """A key of one member: equal to no other, so that a dict keeps members that repeat one."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Member(msgspec.Struct, frozen=True):
    """A member of an object and where its value stands: `[start, end)` in bytes."""

    key: str
    start: int
    end: int


_PAIRS = msgspec.json.Decoder(dict[_Key, Raw], dec_hook=lambda _type, key: _Key(key))
_LAST = msgspec.json.Decoder(dict[str, Raw])
_ELEMENTS = msgspec.json.Decoder(list[Raw])
_TEXT = msgspec.json.Decoder(str)
_ANY = msgspec.json.Decoder(Raw)


def pairs(data: bytes | Raw) -> list[tuple[str, Raw]]:
    """The members of a JSON object in their order, repeated keys and all, values untouched.

    Raises:
        EncodingError: `not-json`, `not-an-object`, `too-deep`.
    """
    found = _each_once(data)
    if found is not None:
        return list(found.items())
    try:
        return [(key.text, value) for key, value in _PAIRS.decode(data).items()]
    except RecursionError as error:
        raise too_deep() from error
    except (msgspec.DecodeError, UnicodeError) as error:
        body = bytes(data)
        mended = mend(body)
        if mended is None:
            raise _refusal(body, b"{", error) from error
        return [(place.key, Raw(body[place.start : place.end])) for place in _members(mended)]


def fields(data: bytes | Raw) -> tuple[dict[str, Raw], list[str]]:
    """The members of a JSON object, of equal keys the last; and the keys of the earlier ones.

    Raises:
        EncodingError: as `pairs`.
    """
    found = _each_once(data)
    if found is not None:
        return found, []
    last: dict[str, Raw] = {}
    overridden: list[str] = []
    for key, value in pairs(data):
        if key in last:
            overridden.append(key)
        last[key] = value
    return last, overridden


def last_fields(data: bytes | Raw) -> dict[str, Raw]:
    """The members of a JSON object, of equal keys the last.

    Raises:
        EncodingError: as `pairs`.
    """
    try:
        return _LAST.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return dict(pairs(data))


def elements(data: bytes | Raw) -> list[Raw]:
    """The values of a JSON array in their order, untouched.

    Raises:
        EncodingError: `not-json`, `not-an-array`, `too-deep`.
    """
    try:
        return _ELEMENTS.decode(data)
    except RecursionError as error:
        raise too_deep() from error
    except (msgspec.DecodeError, UnicodeError) as error:
        body = bytes(data)
        mended = mend(body)
        if mended is None:
            raise _refusal(body, b"[", error) from error
        return _original_elements(body, mended)


def members(body: bytes) -> list[Member]:
    """The members of a JSON object, each with the place of its value.

    Raises:
        EncodingError: `not-json`, `not-an-object`, `too-deep`.
    """
    try:
        return _members(body)
    except EncodingError:
        mended = mend(body)
        if mended is None:
            raise
        return _members(mended)


def text(data: bytes | Raw) -> str:
    """The unescaped text of a JSON string; never holds a surrogate.

    Raises:
        EncodingError: `not-json`.
    """
    try:
        return _TEXT.decode(data)
    except (msgspec.DecodeError, UnicodeError) as error:
        mended = mend(bytes(data))
        if mended is None:
            raise EncodingError("not-json", f"A JSON string cannot be read: {error}.") from error
        try:
            return _TEXT.decode(mended)
        except msgspec.DecodeError as worse:
            raise EncodingError("not-json", f"A JSON string cannot be read: {worse}.") from worse


def text_or_none(data: Raw) -> str | None:
    """The unescaped text of a JSON string, None for any other value.

    Raises:
        EncodingError: `not-json`.
    """
    try:
        return _TEXT.decode(data)
    except msgspec.ValidationError:
        return None
    except (msgspec.DecodeError, UnicodeError):
        return text(data) if first(data) == b'"' else None


def is_json(data: bytes) -> bool:
    """Whether `data` is one JSON document; says nothing of the texts inside being UTF-8."""
    try:
        _ANY.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def first(data: Raw) -> bytes:
    """The first byte of a value, which tells its type."""
    return _BYTES[memoryview(data)[0]] if data else b""


def is_null(data: Raw) -> bool:
    """Whether the value is `null`."""
    return len(data) == 4 and bytes(data) == b"null"


def mend(body: bytes) -> bytes | None:
    r"""`body` with escapes of lone surrogates written `\ufffd`, byte for byte as long; None if none.

    Only ever for finding one's way: what is recorded is the original.
    """
    if _ESCAPED not in body:
        return None
    mended = _ESCAPE.sub(lambda found: rb"\ufffd" if found["lone"] else found[0], body)
    return None if mended == body else mended


def skip_space(body: bytes, position: int) -> int:
    """The first place at or after `position` that is no white space."""
    found = _SPACE.match(body, position)
    return position if found is None else found.end()


def too_deep() -> EncodingError:
    """The refusal of a document that nests too deep to be read."""
    return EncodingError("too-deep", "The JSON nests deeper than this reader follows.")


def _each_once(data: bytes | Raw) -> dict[str, Raw] | None:
    """The members of an object in which no key stands twice, else None.

    Answers for objects without white space, and for those spelled as Python's `json` does.
    """
    try:
        found = _LAST.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    # Braces, and for each member two quotes, a colon and a comma but for the last: where every
    # byte is accounted for so, nothing was overridden. An escape only makes the sum too small.
    size = 1 + 4 * len(found) + sum(map(len, found)) + sum(map(len, found.values()))
    if size == len(data):
        return found
    # A space behind each colon and comma; whether it is those that make the length, is compared.
    spaced = size + 2 * len(found) - 1
    return found if spaced == len(data) and _is_spaced(found, data) else None


def _is_spaced(found: dict[str, Raw], data: bytes | Raw) -> bool:
    pieces: list[bytes | Raw] = []  # joined at once: the values may be long
    for name, value in found.items():
        pieces += (b', "', name.encode(), b'": ', value)
    pieces[0] = b'{"'
    pieces.append(b"}")
    return b"".join(pieces) == bytes(data)


def _members(body: bytes) -> list[Member]:
    try:
        found = _PAIRS.decode(body)
    except RecursionError as error:
        raise too_deep() from error
    except (msgspec.DecodeError, UnicodeError) as error:
        raise _refusal(body, b"{", error) from error
    places: list[Member] = []
    position = skip_space(body, 0) + 1
    for key, value in found.items():
        name = _STRING.match(body, skip_space(body, position))
        if name is None:  # pragma: no cover -- the decoder above has read this very key
            raise EncodingError("not-json", "A key of the object cannot be found again.")
        start = skip_space(body, skip_space(body, name.end()) + 1)
        end = start + memoryview(value).nbytes
        places.append(Member(key.text, start, end))
        position = skip_space(body, end) + 1
    return places


def _original_elements(body: bytes, mended: bytes) -> list[Raw]:
    try:
        found = _ELEMENTS.decode(mended)
    except RecursionError as error:
        raise too_deep() from error
    except (msgspec.DecodeError, UnicodeError) as error:
        raise _refusal(body, b"[", error) from error
    values: list[Raw] = []
    position = skip_space(body, 0) + 1
    for value in found:
        start = skip_space(body, position)
        end = start + memoryview(value).nbytes
        values.append(Raw(body[start:end]))
        position = skip_space(body, end) + 1
    return values


def _refusal(body: bytes, opening: bytes, error: Exception) -> EncodingError:
    start = skip_space(body, 0)
    if body[start : start + 1] == opening or not is_json(body):
        return EncodingError("not-json", f"The bytes are not one JSON document: {error}.")
    if opening == b"{":
        return EncodingError("not-an-object", "A JSON object should stand here.")
    return EncodingError("not-an-array", "A JSON array should stand here.")
