"""Compact: a value in one line, for a sentence."""

from __future__ import annotations

from groundwire.canon.jcs import JSON, encode
from groundwire.errors import EncodingError


def compact(value: JSON, longest: int) -> str:
    """The value as JSON, cut after so many characters."""
    try:
        text = encode(value).decode()
    except EncodingError:  # a number that canonical JSON has no text for
        text = repr(value)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
