"""`unevaluated*`, by cases: which of the conditional schemas beside them hold.

In each case it is fixed which names, or items, are evaluated, and `unevaluated*` speaks of the
others. The cases double with each condition, so of more than a few it is not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import TypeAlias

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.arrays import is_list
from groundwire.contracts.jsonschema.compiling.dialects import NOT_FOLLOWED
from groundwire.contracts.jsonschema.compiling.objects import required
from groundwire.contracts.jsonschema.compiling.reading import as_list, as_object
from groundwire.contracts.jsonschema.compiling.references import Unresolved
from groundwire.contracts.jsonschema.compiling.schemas import Compiler, Keyword, Place, Schema
from groundwire.contracts.jsonschema.graph import Atom, Lit

MAX_CONDITIONS = 6
MAX_NESTED = 40
_ITSELF = frozenset({"unevaluatedProperties", "unevaluatedItems"})


class _TooMany(Exception):
    """What is evaluated cannot be told, or in too many cases."""


class _Evaluated(msgspec.Struct, frozen=True):
    """What one schema evaluates, where its condition holds."""

    condition: Lit
    everything: bool = False
    names: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    prefix: int = 0
    contains: tuple[Lit, ...] = ()

    def says_nothing(self) -> bool:
        return not (self.everything or self.names or self.patterns or self.prefix or self.contains)


# Of a schema at a place, where a condition holds; the outermost one has the keyword itself.
_Own: TypeAlias = Callable[[Compiler, Schema, Place, Lit, frozenset[str]], _Evaluated]


def _of_object(
    _compiler: Compiler, schema: Schema, _place: Place, condition: Lit, keywords: frozenset[str]
) -> _Evaluated:
    everything = not keywords.isdisjoint(("additionalProperties", "unevaluatedProperties"))
    return _Evaluated(
        condition,
        everything,
        frozenset(as_object(schema.get("properties", {}))),
        frozenset(as_object(schema.get("patternProperties", {}))),
    )


def _of_array(
    compiler: Compiler, schema: Schema, place: Place, condition: Lit, keywords: frozenset[str]
) -> _Evaluated:
    items = schema.get("items")
    everything = "unevaluatedItems" in keywords
    prefix = 0
    contains: tuple[Lit, ...] = ()
    if is_list(items):
        prefix = len(as_list(items))
        everything = everything or "additionalItems" in schema
    elif "items" in schema:
        everything = True
    if "prefixItems" in compiler.document.dialect.keywords:
        prefix = len(as_list(schema.get("prefixItems", ())))
        if "contains" in schema:
            at = place.below("contains").as_written()
            contains = (compiler.schema(schema["contains"], at),)
    return _Evaluated(condition, everything, prefix=prefix, contains=contains)


class _Reader:
    """Collects what is evaluated by a schema and those that are applied beside it."""

    def __init__(self, compiler: Compiler, own: _Own) -> None:
        self._compiler = compiler
        self._own = own
        self.found: list[_Evaluated] = []
        self._inside: set[tuple[str, ...]] = set()

    def read(self, schema: JSON, place: Place, condition: Lit, *, outermost: bool) -> None:
        if not isinstance(schema, Mapping):
            return
        if len(self._inside) > MAX_NESTED or place.path in self._inside:
            raise _TooMany
        if not NOT_FOLLOWED.isdisjoint(schema) or "$dynamicRef" in schema:
            raise _TooMany
        self._inside.add(place.path)
        keywords = frozenset(schema) - (_ITSELF if outermost else frozenset())
        own = self._own(self._compiler, schema, place, condition, keywords)
        if not own.says_nothing():
            self.found.append(own)
        if "$ref" in schema:
            self._follow(schema["$ref"], place, condition)
        for part, at, more in self._applied(schema, place):
            self.read(part, at, self._compiler.graph.all([condition, more]), outermost=False)
        self._inside.discard(place.path)

    def _follow(self, reference: JSON, place: Place, condition: Lit) -> None:
        try:
            target = self._compiler.document.references.resolve(str(reference), place.resource)
        except Unresolved as error:
            raise _TooMany from error
        at = Place(target.path, target.resource, depth=place.depth + 1)
        self.read(target.schema, at, condition, outermost=False)

    def _applied(self, schema: Schema, place: Place) -> Iterator[tuple[JSON, Place, Lit]]:
        compiler = self._compiler
        true = compiler.graph.true
        for keyword in ("allOf", "anyOf", "oneOf"):
            for index, part in enumerate(as_list(schema.get(keyword, ()))):
                at = place.beside(keyword, index)
                yield part, at, true if keyword == "allOf" else compiler.schema(part, at)
        if "if" in schema:
            at = place.beside("if").unmarked()
            condition = compiler.schema(schema["if"], at)
            yield schema["if"], at, condition
            yield schema.get("then", True), place.beside("then"), condition
            yield schema.get("else", True), place.beside("else"), -condition
        dependent = as_object(schema.get("dependentSchemas", {}))
        for name in sorted(dependent):
            at = place.beside("dependentSchemas", name)
            yield dependent[name], at, required(compiler, name, place)


def _by_cases(
    compiler: Compiler,
    schema: Schema,
    place: Place,
    own: _Own,
    demand: Callable[[list[_Evaluated]], Lit],
) -> Lit:
    """In each case, the conditions as they then are and what `unevaluated*` then demands."""
    graph = compiler.graph
    reader = _Reader(compiler, own)
    reader.read(schema, place.as_written(), graph.true, outermost=True)
    conditions = sorted({each.condition for each in reader.found} - {graph.true})
    if len(conditions) > MAX_CONDITIONS:
        raise _TooMany
    cases: list[Lit] = []
    for signs in product((True, False), repeat=len(conditions)):
        held = {graph.true, *(c for c, sign in zip(conditions, signs, strict=True) if sign)}
        evaluated = [each for each in reader.found if each.condition in held]
        signed = [c if sign else -c for c, sign in zip(conditions, signs, strict=True)]
        cases.append(graph.all([*signed, demand(evaluated)]))
    return graph.any(cases)


def _unevaluated_properties(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    at = place.below("unevaluatedProperties")
    written, node = compiler.both(schema["unevaluatedProperties"], at)

    def demand(evaluated: list[_Evaluated]) -> Lit:
        if any(each.everything for each in evaluated):
            return compiler.graph.true
        names = frozenset[str]().union(*(each.names for each in evaluated))
        patterns = frozenset[str]().union(*(each.patterns for each in evaluated))
        atom = Atom(
            "object",
            "additional",
            node=written,
            names=tuple(sorted(names)),
            patterns=tuple(sorted(patterns)),
        )
        return compiler.declaring(atom, place, node)

    try:
        return [_by_cases(compiler, schema, place, _of_object, demand)]
    except _TooMany:
        return [compiler.opaque("keyword-not-followed:unevaluatedProperties", place)]


def _unevaluated_items(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    at = place.below("unevaluatedItems")
    written, node = compiler.both(schema["unevaluatedItems"], at)

    def demand(evaluated: list[_Evaluated]) -> Lit:
        if any(each.everything for each in evaluated):
            return compiler.graph.true
        contained = [literal for each in evaluated for literal in each.contains]
        start = max((each.prefix for each in evaluated), default=0)
        other = compiler.graph.any([written, *contained])
        atom = Atom("array", "items", count=start, node=other)
        return compiler.declaring(atom, place, compiler.graph.any([node, *contained]))

    try:
        return [_by_cases(compiler, schema, place, _of_array, demand)]
    except _TooMany:
        return [compiler.opaque("keyword-not-followed:unevaluatedItems", place)]


KEYWORDS: Mapping[str, Keyword] = {
    "unevaluatedProperties": _unevaluated_properties,
    "unevaluatedItems": _unevaluated_items,
}
