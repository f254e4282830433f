"""Which kind of contract bytes are, by what they hold; a name decides nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from groundwire.canon.jcs import JSON
from groundwire.contracts.reading.unreadable import Unreadable
from groundwire.contracts.readings import Readings
from groundwire.contracts.shape import speaks_of_values

Kind: TypeAlias = Literal["openapi", "json-schema"]

_ROOTS: Final = ("openapi", "swagger")
_BESIDE: Final = frozenset({"paths", "info", "components", "webhooks", "definitions"})
_SCHEMA_SITE: Final = "json-schema.org/"
# What a contract of either kind has in it, unless it is spelled with escapes.
_WORDS: Final = (b"openapi", b"swagger", b"$schema", b"$defs", b"properties", b"items", b"enum")
_ESCAPES: Final = (b"\\u", b"\\x", b"\\U")


def detect(path: str, data: bytes, readings: Readings | None = None) -> Kind | None:
    """The kind of contract that the file is; None where it is none, and never an exception.

    The whole file is parsed. `path` says only whether it must be JSON. Of what cannot be read the
    kind is not known, and None is no proof that it is no contract: whoever has to be sure opens it.
    A contract inside another file, in a text of it, is not looked for. With `readings` nobody who
    has them reads the file again.
    """
    if not any(word in data for word in (*_WORDS, *_ESCAPES)):
        return None
    try:
        root = (readings or Readings()).read(data, path).value
    except Unreadable:
        return None
    if not isinstance(root, Mapping):
        return None
    if any(_is_version(root.get(name), root) for name in _ROOTS):
        return "openapi"
    return "json-schema" if _is_schema(root) else None


def _is_version(value: JSON, root: Mapping[str, JSON]) -> bool:
    """Whether it is meant as one; that it is a good one is for whoever opens the file to say."""
    if isinstance(value, str) and value[:1].isdigit():
        return True
    return isinstance(value, str | int | float) and not _BESIDE.isdisjoint(root)


def _is_schema(root: Mapping[str, JSON]) -> bool:
    """Whether it says that it is one, or says of values what only a schema says."""
    named = root.get("$schema")
    if isinstance(named, str):
        return _SCHEMA_SITE in named
    return speaks_of_values(root)
