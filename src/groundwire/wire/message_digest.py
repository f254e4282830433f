"""The content digest: what a message says, whoever carried it and however it was spelled.

Made from role and parts only, so a conversation has the same digests over every provider, message
by message, as far as the roles permit: Anthropic packs the results of parallel calls into one user
message and OpenAI responses makes an item of every part, so there the messages differ themselves.

Left out because they change while a message is sent again: markers (`cache_control`, `status`,
`index`), the name beside a result that has a call id, who ran a call, and reasoning that stands
beside other parts, since many clients drop it. Arguments count as JSON values where they have one
canonical form, else as exact text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from groundwire.canon import jcs
from groundwire.canon.digest import tagged
from groundwire.documents.frame import (
    CallPart,
    Media,
    Opaque,
    Part,
    Reasoning,
    ResultPart,
    Role,
    Text,
)
from groundwire.errors import EncodingError

MARKERS = frozenset({"cache_control", "prompt_cache_breakpoint", "status", "index"})
# How long arguments may be, in characters, to be kept.
_SHORT = 4096
_HIDDEN_REASONING = frozenset({"redacted_thinking", "reasoning"})


def content_digest(role: Role, parts: Sequence[Part]) -> str:
    """The `gw1:` digest of a message with these parts; equal for what says the same.

    Domain `message`; framed parts are the role, then for each part its kind and its fields.
    """
    spoken = [
        part for part in parts if not (isinstance(part, Reasoning | Opaque) and _is_reasoning(part))
    ]
    fields: list[bytes] = [role.encode("ascii")]
    for part in spoken or parts:
        fields += _fields(part)
    return tagged("message", *fields)


def canonical_arguments(arguments: str) -> tuple[bytes, bytes]:
    """The form (`json` or `text`) and the bytes that stand for a call's arguments in a digest."""
    return (_remembered if len(arguments) <= _SHORT else _canonical)(arguments)


def _canonical(arguments: str) -> tuple[bytes, bytes]:
    data = arguments.encode("utf-8", "replace")
    try:
        canonical = jcs.encode_foreign(data)
        if canonical is not None:
            return b"json", canonical
    except EncodingError:
        pass  # No JSON, or none with one canonical form: the exact text stands for itself.
    return b"text", data


# A call comes in a response and soon again in a request.
_remembered = lru_cache(maxsize=256)(_canonical)


def _is_reasoning(part: Part) -> bool:
    return isinstance(part, Reasoning) or (
        isinstance(part, Opaque) and part.kind in _HIDDEN_REASONING
    )


def _fields(part: Part) -> list[bytes]:
    """The framed fields of one part; each kind has its own fixed number of them."""
    match part:
        case Text(text):
            return [b"text", _bytes(text)]
        case CallPart(call):
            form, arguments = canonical_arguments(call.arguments)
            return [b"call", _bytes(call.id), _bytes(call.name), form, arguments]
        case ResultPart():
            name = _bytes(part.name or "") if not part.call_id else b""
            failed = b"error" if part.is_error else b"ok"
            return [b"result", _bytes(part.call_id), name, _bytes(part.text), failed]
        case Reasoning(text):
            return [b"reasoning", _bytes(text)]
        case Media(digest=digest):
            return [b"media", _bytes(digest)]
        case Opaque(kind, raw):
            return [b"opaque", _bytes(kind), _canonical_opaque(raw)]


def _canonical_opaque(raw: str) -> bytes:
    data = _bytes(raw)
    try:
        found = jcs.decode_foreign(data)
        if not found.duplicates:
            return jcs.encode(_without_markers(found.value))
    except (EncodingError, RecursionError):
        pass  # As with arguments.
    return data


def _without_markers(value: jcs.JSON) -> jcs.JSON:
    """`value` without markers and without members that are null: SDKs add and drop those."""
    if isinstance(value, Mapping):
        return {
            key: _without_markers(child)
            for key, child in value.items()
            if child is not None and key not in MARKERS
        }
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_without_markers(child) for child in value]
    return value


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
