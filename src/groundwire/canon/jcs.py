"""JSON: one value, one encoding (RFC 8785) out; our own canonical and foreign JSON in.

Whatever goes in, only `EncodingError` comes out. Size and depth are bounded: a document nests at
most `MAX_DEPTH` arrays and objects, fewer where the caller's own stack leaves no room for them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, TypeAlias

import msgspec
import rfc8785

from groundwire.errors import EncodingError

JSON: TypeAlias = bool | int | float | str | Sequence["JSON"] | Mapping[str, "JSON"] | None

MAX_BYTES = 64 << 20
MAX_DEPTH = 512
MAX_INTEGER = 2**53 - 1
# How many characters of pointers `decode_foreign` lists. Keys are a stranger's: long ones repeated
# at a depth would make a list far larger than the document.
MAX_POINTER_CHARACTERS = 1 << 16

_SafeInteger: TypeAlias = Annotated[int, msgspec.Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]
_Leaf: TypeAlias = bool | _SafeInteger | str | None
# What our own documents are made of: no floats, safe integers, six levels. Spelled out level by
# level, because msgspec knows no recursive type but a class.
_Level1: TypeAlias = _Leaf | list[_Leaf] | dict[str, _Leaf]
_Level2: TypeAlias = _Leaf | list[_Level1] | dict[str, _Level1]
_Level3: TypeAlias = _Leaf | list[_Level2] | dict[str, _Level2]
_Level4: TypeAlias = _Leaf | list[_Level3] | dict[str, _Level3]
_Level5: TypeAlias = _Leaf | list[_Level4] | dict[str, _Level4]
_Level6: TypeAlias = _Leaf | list[_Level5] | dict[str, _Level5]

_Container: TypeAlias = dict[str, JSON] | list[JSON] | tuple[JSON, ...]
_Path: TypeAlias = "tuple[_Path, str] | None"

_ENCODER = msgspec.json.Encoder(order="sorted")
_DECODER = msgspec.json.Decoder()
_PLAIN_DECODER: msgspec.json.Decoder[JSON] = msgspec.json.Decoder(_Level6)
_INFINITY = float("inf")
_TEXT = frozenset((str,))
_SIMPLE = frozenset((str, bool, type(None)))
_KEY_THEN_SPACE = re.compile(rb'"[ \t\n\r]+:')
_QUOTE_THEN_SPACE = (b'" ', b'"\n', b'"\r', b'"\t')


class _Plain(msgspec.Struct):
    """A value of the plain types; msgspec keeps in mind how to read a class, and no other type."""

    value: _Level6


class Foreign(msgspec.Struct, frozen=True):
    """A stranger's JSON value; `duplicates` are the JSON pointers of keys that stand twice."""

    value: JSON
    duplicates: tuple[str, ...]


def encode(value: JSON) -> bytes:
    """The RFC 8785 bytes of `value`.

    Takes `dict`, `list`, `tuple`, `str`, `int`, `float`, `bool` and `None` themselves and refuses
    subclasses of them, which may hold more than their JSON would say.

    Raises:
        EncodingError: `not-json` (another type), `key-not-text`, `integer-out-of-range` (beyond
            ±(2^53 - 1)), `number-out-of-range` (NaN, infinity), `lone-surrogate`, `too-deep`,
            `too-large`.
    """
    try:
        data = _ENCODER.encode(value) if _is_plain(value) else rfc8785.dumps(value)
    except RecursionError as error:
        raise _too_deep() from error
    except (UnicodeError, rfc8785.CanonicalizationError) as error:
        raise EncodingError("lone-surrogate", "A text in the value has no UTF-8 form.") from error
    if len(data) > MAX_BYTES:
        raise _too_large()
    return data


def encode_document(document: object) -> bytes:
    """The RFC 8785 bytes of what msgspec makes of Structs, and of dicts and lists that hold them.

    As `encode(msgspec.to_builtins(document))`, and faster where there is nothing to be weighed.

    Raises: as `encode`.
    """
    try:
        builtin: JSON = msgspec.to_builtins(document)
    except RecursionError as error:
        raise _too_deep() from error
    except (TypeError, ValueError, OverflowError) as error:
        raise EncodingError("not-json", f"The document has no JSON: {error}.") from error
    try:
        data = _ENCODER.encode(builtin)
        # What has the plain types msgspec writes as RFC 8785 does, as in `decode`; a float, which it
        # would write otherwise, and NaN even as null, is none of them.
        if len(data) <= MAX_BYTES and data.isascii():
            msgspec.convert({"value": builtin}, _Plain)
            return data
    except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError):
        pass  # the longer way says what is wrong
    return encode(builtin)


def decode(data: bytes) -> JSON:
    """The value of `data`, which is byte for byte what `encode` writes of it.

    So white space, keys that stand twice or unsorted, needless escapes and `1.0` are all refused.
    Whole floats from 2^53 on do not come back: their canonical form reads as too large an integer.

    Raises:
        EncodingError: `not-json`, `not-canonical`, `integer-out-of-range`, `number-out-of-range`,
            `too-deep`, `too-large`.
    """
    if len(data) > MAX_BYTES:
        raise _too_large()
    if data.isascii():
        # Where it reads as the plain types, msgspec's sorted encoding is RFC 8785's.
        try:
            plain = _PLAIN_DECODER.decode(data)
        except (msgspec.MsgspecError, RecursionError):
            pass
        else:
            if _ENCODER.encode(plain) == data:
                return plain
    value = _read(data)
    if encode(value) != data:
        raise EncodingError("not-canonical", "The bytes are not the canonical form of their value.")
    return value


def decode_foreign(
    data: bytes,
    *,
    max_bytes: int = MAX_BYTES,
    max_depth: int = MAX_DEPTH,
    read_float: Callable[[str], float] | None = None,
) -> Foreign:
    """The value of a stranger's JSON (RFC 8259), and the pointers of keys that stand twice.

    Of such a key the last value counts; inside a value that was overridden so, nothing is listed.
    The list ends at `MAX_POINTER_CHARACTERS`, and is never empty where a key stands twice.
    Integers keep every digit, up to the interpreter's limit (4,300). A number too large for a
    float is refused; one too small reads as 0.0, and digits that a float cannot hold are lost. With
    `read_float` every number that is no integer is what that makes of its text.

    Raises:
        EncodingError: `not-json` (also invalid UTF-8, lone surrogates, NaN, a byte order mark),
            `number-out-of-range`, `too-deep`, `too-large`.
    """
    if len(data) > max_bytes:
        raise _too_large()
    value = _read(data, msgspec.json.Decoder(float_hook=read_float) if read_float else _DECODER)
    if _writes_alike(value, data, max_depth) or (
        _count_keys(value, max_depth) == _most_members(data)
    ):
        return Foreign(value, ())
    return Foreign(value, _duplicates(data))


def encode_foreign(data: bytes) -> bytes | None:
    """The RFC 8785 bytes of a stranger's JSON; None where a key stands twice in it.

    Raises:
        EncodingError: as `decode_foreign` and `encode`.
    """
    quick = _encode_plain(data)
    if quick is not None:
        return quick
    found = decode_foreign(data)
    return None if found.duplicates else encode(found.value)


def _encode_plain(data: bytes) -> bytes | None:
    """`encode_foreign` where that is no more than sorting keys and dropping white space."""
    if len(data) > MAX_BYTES or b"\\" in data or not data.isascii():
        return None
    if _KEY_THEN_SPACE.search(data):
        return None
    try:
        encoded = _ENCODER.encode(_PLAIN_DECODER.decode(data))
    except (msgspec.MsgspecError, RecursionError):
        return None
    # Each member has a quote and a colon, as has a text that begins with a colon: where there are
    # as many as before, no member was overridden.
    return encoded if encoded.count(b'":') == data.count(b'":') else None


def _read(data: bytes, decoder: msgspec.json.Decoder[JSON] = _DECODER) -> JSON:
    try:
        value: JSON = decoder.decode(data)
    except RecursionError as error:
        raise _too_deep() from error
    except msgspec.ValidationError as error:
        # Untyped, the one thing msgspec finds fault with in well-formed JSON.
        message = "A number is too large to be read without loss."
        raise EncodingError("number-out-of-range", message) from error
    except (msgspec.DecodeError, UnicodeError) as error:
        raise EncodingError("not-json", f"The bytes are not one JSON document: {error}.") from error
    return value


def _is_plain(value: JSON) -> bool:
    """Whether msgspec writes `value` as RFC 8785 does: no floats, and keys that sort alike.

    Raises whatever no encoding could make good. Walks level by level, so that nothing recurses and
    a value that holds itself ends at `MAX_DEPTH`.
    """
    plain = True
    nodes = 0
    level: list[_Container] = [(value,)]
    for _ in range(MAX_DEPTH + 1):
        below: list[_Container] = []
        for node in level:
            nodes += len(node)
            # Each node takes two bytes at the least; one value may stand in many places.
            if nodes > MAX_BYTES // 2:
                raise _too_large()
            if type(node) is dict:
                plain = _sorts_alike(node) and plain
            children = node.values() if type(node) is dict else node
            for child in [child for child in children if type(child) not in _SIMPLE]:
                if type(child) is int and -MAX_INTEGER <= child <= MAX_INTEGER:
                    continue
                if type(child) is dict or type(child) is list or type(child) is tuple:
                    below.append(child)
                else:
                    _demand_finite_float(child)
                    plain = False
        if not below:
            return plain
        level = below
    raise _too_deep()


def _sorts_alike(keys: dict[str, JSON]) -> bool:
    if not _TEXT.issuperset(map(type, keys)):
        raise EncodingError("key-not-text", "The keys of a JSON object are texts.")
    names = "".join(keys)
    # UTF-8 and UTF-16 sort alike below the surrogates.
    return names.isascii() or max(names) < "\ud800"


def _demand_finite_float(value: JSON) -> None:
    if type(value) is int:
        message = "An integer beyond 2^53 - 1 has no canonical form; write it as text."
        raise EncodingError("integer-out-of-range", message)
    if type(value) is not float:
        raise EncodingError("not-json", f"JSON has no {type(value).__name__}; convert it first.")
    if not -_INFINITY < value < _INFINITY:
        raise EncodingError("number-out-of-range", "JSON knows no NaN and no infinity.")


def _writes_alike(value: JSON, data: bytes, max_depth: int) -> bool:
    """Whether the value, written again, has as many members as its text, which nests no deeper.

    True only where that is plain: written again, a text may gain a quote and colon only by an
    escape for one of them, or by white space between them. False says nothing.
    """
    if data.count(b"{") + data.count(b"[") > max_depth or b"\\u00" in data:
        return False
    if any(map(data.__contains__, _QUOTE_THEN_SPACE)) and _KEY_THEN_SPACE.search(data):
        return False
    try:
        written = _ENCODER.encode(value)
    except (msgspec.MsgspecError, UnicodeError, OverflowError, RecursionError):
        return False
    return written.count(b'":') == data.count(b'":')


def _count_keys(value: JSON, max_depth: int) -> int:
    """How many keys the objects of a decoded value have.

    Raises:
        EncodingError: `too-deep`.
    """
    keys = 0
    level = _containers([value])
    for _ in range(max_depth):
        if not level:
            break
        below: list[JSON] = []
        for node in level:
            if type(node) is dict:
                keys += len(node)
            below += _containers(node)
        level = below
    if level:
        raise _too_deep()
    return keys


def _containers(node: JSON) -> list[JSON]:
    children: Iterable[JSON] = ()
    if type(node) is dict:
        children = node.values()
    elif type(node) is list:
        children = node
    return [child for child in children if type(child) is dict or type(child) is list]


def _most_members(data: bytes) -> int:
    """A number that no count of object members in this valid JSON exceeds; mostly exact.

    Each member has a quote, perhaps white space, and a colon. The quote closes a key only after an
    even number of backslashes, hence the sum with alternating signs, which may end after any even
    number: JSON in JSON in JSON has seven. A text that begins with a colon is counted too.
    """
    members = 0
    for backslashes in range(9):
        found = data.count(b"\\" * backslashes + b'":')
        members += -found if backslashes & 1 else found
        if not found:
            break
    if any(map(data.__contains__, _QUOTE_THEN_SPACE)):
        members += sum(1 for _ in _KEY_THEN_SPACE.finditer(data))
    return members


class _Repeats:
    """Builds objects as `json` does, and remembers which had a key twice."""

    def __init__(self) -> None:
        # The object stands beside its keys so that its id is not given to another.
        self._noted: dict[int, tuple[dict[str, JSON], tuple[str, ...]]] = {}

    def build(self, pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
        built = dict(pairs)
        if len(built) != len(pairs):
            counts = Counter(key for key, _ in pairs)
            twice = tuple(key for key, count in counts.items() if count > 1)
            self._noted[id(built)] = (built, twice)
        return built

    def keys(self, node: JSON) -> tuple[str, ...]:
        return self._noted.get(id(node), (None, ()))[1]


def _duplicates(data: bytes) -> tuple[str, ...]:
    """The pointers of the keys that stand twice in this valid JSON, outer ones first."""
    repeats = _Repeats()
    decoder = json.JSONDecoder(object_pairs_hook=repeats.build, parse_int=str, parse_float=str)
    try:
        root: JSON = decoder.decode(data.decode("utf-8"))
    except RecursionError as error:
        raise _too_deep() from error
    found: list[str] = []
    room = MAX_POINTER_CHARACTERS
    level: list[tuple[JSON, _Path]] = [(root, None)]
    while level and room > 0:
        below: list[tuple[JSON, _Path]] = []
        for node, path in level:
            for key in repeats.keys(node):
                if room > 0:
                    found.append(_pointer((path, key)))
                    room -= len(found[-1])
            below += _members_below(node, path)
        level = below
    return tuple(found)


def _members_below(node: JSON, path: _Path) -> list[tuple[JSON, _Path]]:
    members: Iterable[tuple[object, JSON]] = ()
    if type(node) is dict:
        members = node.items()
    elif type(node) is list:
        members = enumerate(node)
    return [
        (child, (path, str(step)))
        for step, child in members
        if type(child) is dict or type(child) is list
    ]


def _pointer(path: _Path) -> str:
    """The RFC 6901 pointer of a path from the root."""
    steps: list[str] = []
    while path is not None:
        path, step = path
        steps.append(step.replace("~", "~0").replace("/", "~1"))
    return "".join(["/" + step for step in reversed(steps)])


def _too_deep() -> EncodingError:
    return EncodingError("too-deep", "The value nests deeper than the reader is set to follow.")


def _too_large() -> EncodingError:
    return EncodingError("too-large", "The document is larger than the reader is set to take.")
