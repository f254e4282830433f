"""Parameters of 2.0 as 3.0 writes them: the constraints in a schema, the format of lists as a style."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.opening.swagger.trail import Trail
from groundwire.contracts.openapi.resolving import join

Object = Mapping[str, JSON]

_OF_PARAMETER: Final = ("name", "in", "description", "required", "allowEmptyValue")
_CONSTRAINTS: Final = (
    "type",
    "format",
    "items",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "enum",
    "multipleOf",
    "x-nullable",
)
# By where a list stands: the style and `explode` that write it as the format does.
_IN_QUERY: Final[Mapping[str, tuple[str, bool]]] = {
    "csv": ("form", False),
    "ssv": ("spaceDelimited", False),
    "pipes": ("pipeDelimited", False),
    "multi": ("form", True),
}
_ELSEWHERE: Final[Mapping[str, tuple[str, bool]]] = {"csv": ("simple", False)}


def parameter(old: Object, new_pointer: str, old_pointer: str, trail: Trail) -> dict[str, JSON]:
    """The parameter in the form of 3.0. A format of lists that no style writes is not read."""
    trail.made(new_pointer, old_pointer)
    made: dict[str, JSON] = {name: old[name] for name in _OF_PARAMETER if name in old}
    made |= _extensions(old)
    made["schema"] = simple_schema(old, join(new_pointer, "schema"), old_pointer, trail)
    made |= style(old, "query" if old.get("in") == "query" else "other", new_pointer, trail)
    return made


def header(old: Object, new_pointer: str, old_pointer: str, trail: Trail) -> dict[str, JSON]:
    """The header of a response in the form of 3.0."""
    trail.made(new_pointer, old_pointer)
    made: dict[str, JSON] = {"description": old["description"]} if "description" in old else {}
    made |= _extensions(old)
    made["schema"] = simple_schema(old, join(new_pointer, "schema"), old_pointer, trail)
    made |= style(old, "other", new_pointer, trail)
    return made


def style(old: Object, place: str, new_pointer: str, trail: Trail) -> dict[str, JSON]:
    """`style` and `explode` of what may be a list; `place` is `query` or another."""
    if old.get("type") != "array":
        return {}
    wanted = old.get("collectionFormat", "csv")
    styles = _IN_QUERY if place == "query" else _ELSEWHERE
    found = styles.get(wanted) if isinstance(wanted, str) else None
    if found is None:
        trail.not_read(new_pointer, "collection-format-unknown")
        return {}
    return {"style": found[0], "explode": found[1]}


def simple_schema(old: Object, new_pointer: str, old_pointer: str, trail: Trail) -> dict[str, JSON]:
    """The constraints that stand in a parameter, a header or `items`, as a schema."""
    trail.made(new_pointer, old_pointer)
    made: dict[str, JSON] = {name: old[name] for name in _CONSTRAINTS if name in old}
    if made.pop("x-nullable", None) is True:
        made["nullable"] = True
    if made.get("type") == "file":
        made |= {"type": "string", "format": "binary"}
    inner = made.get("items")
    if isinstance(inner, dict):
        below = join(new_pointer, "items")
        if inner.get("type") == "array":
            # Lists in lists: no style of 3.0 writes the inner ones.
            trail.not_read(below, "collection-format-nested")
        made["items"] = simple_schema(inner, below, join(old_pointer, "items"), trail)
    return made


def _extensions(old: Object) -> dict[str, JSON]:
    return {name: value for name, value in old.items() if name.startswith("x-")}
