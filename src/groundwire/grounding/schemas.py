"""What a tool's own description serves to the model: values it may take from there."""

from __future__ import annotations

from collections.abc import Iterator

from groundwire.canon import jcs
from groundwire.documents.frame import ToolSpec
from groundwire.errors import EncodingError

# The original's depth, kept for `grounding = "substring"`.
ENUM_DEPTH = 8


def schema_value(schema: str) -> jcs.JSON:
    """The JSON value of a tool's schema text, None where it is no JSON."""
    try:
        return jcs.decode_foreign(schema.encode()).value
    except (EncodingError, UnicodeEncodeError):
        return None


def enum_strings(schema: jcs.JSON) -> frozenset[str]:
    """Every string in any array under a key `enum`, to depth 8, lower-cased, in one flat set.

    What field it was declared for is not kept. `default`, `const`, `examples` are not looked at.
    """
    return frozenset(_enums(schema, 0))


def spec_texts(tool: ToolSpec) -> Iterator[str]:
    """What the tool list showed the model of this tool: name, description, every string in it.

    Property names are among them; where the schema is no JSON, its text stands whole.
    """
    yield tool.name
    yield tool.description
    value = schema_value(tool.schema)
    if value is None:
        yield tool.schema
    else:
        yield from _all_strings(value)


def _enums(value: jcs.JSON, depth: int) -> Iterator[str]:
    if depth > ENUM_DEPTH:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "enum" and isinstance(inner, list):
                yield from (entry.lower() for entry in inner if isinstance(entry, str))
            yield from _enums(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _enums(inner, depth + 1)


def _all_strings(value: jcs.JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _all_strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _all_strings(inner)
