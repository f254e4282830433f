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
    return frozenset(_enums(schema))


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
        yield from _strings(value)


def _enums(schema: jcs.JSON) -> Iterator[str]:
    waiting: list[tuple[int, jcs.JSON]] = [(0, schema)]
    while waiting:
        depth, value = waiting.pop()
        if depth > ENUM_DEPTH:
            continue
        if isinstance(value, dict):
            declared = value.get("enum")
            if isinstance(declared, list):
                yield from (entry.lower() for entry in declared if isinstance(entry, str))
            waiting += [(depth + 1, inner) for inner in value.values()]
        elif isinstance(value, list):
            waiting += [(depth + 1, inner) for inner in value]


def _strings(schema: jcs.JSON) -> Iterator[str]:
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from value
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
