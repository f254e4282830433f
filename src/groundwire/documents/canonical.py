"""Closed documents as bytes: one byte string for each document, and no other is read."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from groundwire.canon import jcs
from groundwire.errors import EncodingError

Document = TypeVar("Document")


def encode(document: msgspec.Struct) -> bytes:
    """The canonical JSON of the document.

    Raises:
        EncodingError: a value that has no canonical JSON.
    """
    return jcs.encode_document(document)


def decode(data: bytes, kind: type[Document]) -> Document:
    """The document of this kind (a Struct or a union of tagged ones) that these bytes are.

    `encode` of it gives `data` again, byte for byte: no key stands twice, none is unknown or
    missing. Does not check what its texts mean.

    Raises:
        EncodingError: `bad-document`, `not-canonical`.
    """
    try:
        document = msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise EncodingError(
            "bad-document", f"The bytes are no document of the closed form: {error}."
        ) from error
    if not isinstance(document, msgspec.Struct) or encode(document) != data:
        raise EncodingError("not-canonical", "The bytes are not the canonical form of a document.")
    return document
