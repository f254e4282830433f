"""Keywords that join schemas: all, any, one, none, and one if another."""

from __future__ import annotations

from collections.abc import Mapping

from groundwire.contracts.jsonschema.compiling.objects import required
from groundwire.contracts.jsonschema.compiling.openapi.discriminators import Kind
from groundwire.contracts.jsonschema.compiling.schemas import Compiler, Keyword, Place, Schema
from groundwire.contracts.jsonschema.graph import Atom, Lit, Opaque


def _all_of(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    return compiler.literals(schema["allOf"], place.beside("allOf"))


def _any_of(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    at = place.beside("anyOf")
    demand = compiler.graph.any(compiler.literals(schema["anyOf"], at))
    return _by_kind(compiler, schema, place, "anyOf", [demand])


def _one_of(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    """As written exactly one; where names are declared, one of them is of declared names too."""
    at = place.beside("oneOf")
    demands = [compiler.graph.one(compiler.literals(schema["oneOf"], at.as_written()))]
    if place.declared:
        demands.append(compiler.graph.any(compiler.literals(schema["oneOf"], at)))
    return _by_kind(compiler, schema, place, "oneOf", demands)


def _by_kind(
    compiler: Compiler, schema: Schema, place: Place, keyword: str, demands: list[Lit]
) -> list[Lit]:
    """Where a discriminator tells: objects are of their kind, `demands` speak of other values."""
    known = compiler.discriminators
    if known is None or "discriminator" not in schema:
        return demands
    name = known.property_of(schema)
    kinds = known.of_union(schema, keyword, place.resource)
    if name is None or kinds is None:
        return [*demands, _not_followed(compiler, schema)]
    graph = compiler.graph
    isobject = graph.type("object")
    one_kind = _of_kinds(compiler, place, name, kinds)
    return [graph.any([graph.all([-isobject, *demands]), graph.all([isobject, one_kind])])]


def _of_kinds(compiler: Compiler, place: Place, name: str, kinds: tuple[Kind, ...]) -> Lit:
    graph = compiler.graph
    isthere = required(compiler, name, place)
    found: list[Lit] = []
    for kind in kinds:
        keyed = _keyed(compiler, place, name, kind.keys)
        found.append(graph.all([isthere, keyed, compiler.reference(kind.reference, place)]))
    return graph.any(found)


def _keyed(compiler: Compiler, place: Place, name: str, keys: tuple[str, ...]) -> Lit:
    node = compiler.graph.enum(("string", key) for key in keys)
    return compiler.declaring(Atom("object", "property", text=name, node=node), place, node)


def _discriminator(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    """On a schema that others are made of; in those that are made of it, it says nothing."""
    known = compiler.discriminators
    if known is None or place.made_of or not {"oneOf", "anyOf"}.isdisjoint(schema):
        return []
    name = known.property_of(schema)
    kinds = known.of_base(schema, place.path, place.resource)
    if name is None or kinds is None:
        return [_not_followed(compiler, schema)]
    graph = compiler.graph
    others = tuple(kind for kind in kinds if kind.reference)
    own = [key for kind in kinds if not kind.reference for key in kind.keys]
    # An object of an unknown key is not sent; who reads one may know what it is, or not.
    unknown = graph.false
    if not compiler.sends:
        unknown = graph.node(Opaque("discriminator-key-unknown", ""))
    of_others = graph.enum(("string", key) for kind in others for key in kind.keys)
    is_own = graph.enum(("string", key) for key in own)
    unlisted = graph.all([-of_others, graph.any([is_own, unknown])])
    atom = Atom("object", "property", text=name, node=unlisted)
    return [
        graph.any(
            [
                -graph.type("object"),
                -graph.node(Atom("object", "required", text=name)),
                _of_kinds(compiler, place, name, others),
                compiler.declaring(atom, place, unlisted),
            ]
        )
    ]


def _not_followed(compiler: Compiler, schema: Schema) -> Lit:
    return compiler.unknown("discriminator", schema["discriminator"])


def _not(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    return [-compiler.schema(schema["not"], place.beside("not").as_written().unmarked())]


def _if(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    if "then" not in schema and "else" not in schema:
        return []
    graph = compiler.graph
    written, held = compiler.both(schema["if"], place.beside("if").unmarked())
    then = compiler.schema(schema.get("then", True), place.beside("then"))
    otherwise = compiler.schema(schema.get("else", True), place.beside("else"))
    return [graph.any([graph.all([written, held, then]), graph.all([-written, otherwise])])]


KEYWORDS: Mapping[str, Keyword] = {
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
    "discriminator": _discriminator,
}
