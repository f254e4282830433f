"""JSON: one value, one encoding (RFC 8785) out; our own canonical and foreign JSON in.

Whatever goes in, only `EncodingError` comes out. Size and depth are bounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec
import rfc8785

from groundwire.errors import EncodingError

JSON: TypeAlias = bool | int | float | str | Sequence["JSON"] | Mapping[str, "JSON"] | None

MAX_BYTES = 64 << 20
MAX_DEPTH = 512
MAX_INTEGER = 2**53 - 1


class Foreign(msgspec.Struct, frozen=True):
    """A stranger's JSON value; `duplicates` are the JSON pointers of repeated keys."""

    value: JSON
    duplicates: tuple[str, ...]


def encode(value: JSON) -> bytes:
    """The RFC 8785 bytes of `value`.

    Raises:
        EncodingError: see the reasons in the message.
    """
    try:
        return rfc8785.dumps(value)
    except RecursionError as error:
        raise EncodingError("too-deep", "The value is nested too deeply.") from error
    except (ValueError, UnicodeError) as error:
        raise EncodingError("not-json", str(error)) from error


def decode(data: bytes) -> JSON:
    """The value of canonical `data`; anything that `encode` would not write is refused.

    Raises:
        EncodingError: `not-json`, `not-canonical`, `too-deep`.
    """
    try:
        value: JSON = msgspec.json.decode(data)
    except RecursionError as error:
        raise EncodingError("too-deep", "The value is nested too deeply.") from error
    except (msgspec.MsgspecError, ValueError) as error:
        raise EncodingError("not-json", str(error)) from error
    if encode(value) != data:
        raise EncodingError("not-canonical", "The bytes are not the canonical form of their value.")
    return value


def decode_foreign(
    data: bytes, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH
) -> Foreign:
    """The value of a stranger's JSON."""
    if len(data) > max_bytes:
        raise EncodingError("too-large", f"The document has over {max_bytes} bytes.")
    try:
        value: JSON = msgspec.json.decode(data)
    except RecursionError as error:
        raise EncodingError("too-deep", "The value is nested too deeply.") from error
    except (msgspec.MsgspecError, ValueError) as error:
        raise EncodingError("not-json", str(error)) from error
    return Foreign(value, ())
