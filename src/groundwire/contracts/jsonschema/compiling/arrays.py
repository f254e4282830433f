"""Keywords about arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.reading import Invalid, as_count, as_list
from groundwire.contracts.jsonschema.compiling.scalars import counted
from groundwire.contracts.jsonschema.compiling.schemas import Compiler, Keyword, Place, Schema
from groundwire.contracts.jsonschema.graph import Atom, Lit


def is_list(value: JSON) -> bool:
    """Whether `value` is a JSON array."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def _each(compiler: Compiler, schemas: JSON, place: Place) -> list[Lit]:
    """One demand for each of the first items."""
    found: list[Lit] = []
    for index, each in enumerate(as_list(schemas)):
        written, node = compiler.both(each, place.below(index))
        atom = Atom("array", "item", count=index, node=written)
        found.append(compiler.declaring(atom, place, node))
    return found


def _from(compiler: Compiler, schema: JSON, start: int, place: Place, at: Place) -> Lit:
    written, node = compiler.both(schema, at)
    return compiler.declaring(Atom("array", "items", count=start, node=written), place, node)


def _prefix_items(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    return _each(compiler, schema["prefixItems"], place.below("prefixItems"))


def _items(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    items, at = schema["items"], place.below("items")
    if is_list(items):
        if not compiler.document.dialect.items_list:
            raise Invalid
        return _each(compiler, items, at)
    start = 0
    if "prefixItems" in compiler.document.dialect.keywords and "prefixItems" in schema:
        start = len(as_list(schema["prefixItems"]))
    return [_from(compiler, items, start, place, at)]


def _additional_items(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    """The items after those in the list; without a list it demands nothing."""
    if not is_list(schema.get("items")):
        return []
    start = len(as_list(schema["items"]))
    at = place.below("additionalItems")
    return [_from(compiler, schema["additionalItems"], start, place, at)]


def _contains(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    written, node = compiler.both(schema["contains"], place.below("contains"))
    bounded = "minContains" in compiler.document.dialect.keywords
    least = as_count(schema.get("minContains", 1)) if bounded else 1
    demands: list[Lit] = []
    if least:
        atom = Atom("array", "min-contains", count=least, node=written)
        demands.append(compiler.declaring(atom, place, node))
    if bounded and "maxContains" in schema:
        most = as_count(schema["maxContains"])
        atom = Atom("array", "max-contains", count=most, node=written)
        demands.append(compiler.graph.node(atom))
    return demands


def _unique_items(compiler: Compiler, schema: Schema, _place: Place) -> list[Lit]:
    wanted = schema["uniqueItems"]
    if not isinstance(wanted, bool):
        raise Invalid
    return [compiler.graph.node(Atom("array", "unique"))] if wanted else []


KEYWORDS: Mapping[str, Keyword] = {
    "prefixItems": _prefix_items,
    "items": _items,
    "additionalItems": _additional_items,
    "contains": _contains,
    "minItems": counted("minItems", "array", "min-items"),
    "maxItems": counted("maxItems", "array", "max-items"),
    "uniqueItems": _unique_items,
}
