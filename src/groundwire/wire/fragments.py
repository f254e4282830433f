"""Fragments: the pieces in which a stream delivers a document, and the document made of them.

A stream is put together into the document that the same answer would have been without streaming,
and that is read by the one reader of the protocol: so both give the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec
from msgspec import Raw

from groundwire.errors import EncodingError
from groundwire.wire import scan

Piece: TypeAlias = "Raw | str | int | Sequence[Piece] | Mapping[str, Piece]"


class Joined:
    """A text that arrives in pieces of JSON strings.

    The pieces are joined before they are unescaped, because a provider may cut between the two
    halves of a surrogate pair.
    """

    __slots__ = ("_pieces",)

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def add(self, value: Raw | None) -> bool:
        """Whether the value is a string; it belongs to the text then."""
        if value is None or scan.first(value) != b'"':
            return False
        self._pieces.append(bytes(value)[1:-1])
        return True

    def add_text(self, text: str) -> None:
        """`text` belongs to the text too."""
        self._pieces.append(msgspec.json.encode(text)[1:-1])

    def text(self) -> str:
        """All of it so far, unescaped."""
        return scan.text(b'"' + b"".join(self._pieces) + b'"')

    def __bool__(self) -> bool:
        return any(self._pieces)


def object_of(data: bytes | Raw) -> dict[str, Raw] | None:
    """The members of a JSON object, the last of equal keys; None for anything else."""
    try:
        return scan.last_fields(data)
    except EncodingError:
        return None


def list_of(value: Raw | None) -> list[Raw]:
    """The values of an array; none of anything else."""
    if value is None or scan.first(value) != b"[":
        return []
    return scan.elements(value)


def text_of(value: Raw | None) -> str | None:
    """The text of a string; None of anything else."""
    return scan.text(value) if value is not None and scan.first(value) == b'"' else None


def index_of(value: Raw | None, otherwise: int) -> int:
    """A small whole number; `otherwise` for anything else."""
    digits = b"" if value is None else bytes(value)
    return int(digits) if digits.isdigit() and len(digits) < 7 else otherwise


def is_null(value: Raw | None) -> bool:
    """Whether nothing stands there."""
    return value is None or scan.is_null(value)


def document(pieces: Mapping[str, Piece]) -> bytes:
    """The JSON of the document put together; the pieces stand in it as they stood on the wire."""
    return msgspec.json.encode(pieces)
