"""Keywords that join schemas: all, any, one, none, and one if another."""

from __future__ import annotations

from collections.abc import Mapping

from groundwire.contracts.jsonschema.compiling.schemas import Compiler, Keyword, Place, Schema
from groundwire.contracts.jsonschema.graph import Lit


def _all_of(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    return compiler.literals(schema["allOf"], place.below("allOf"))


def _any_of(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    return [compiler.graph.any(compiler.literals(schema["anyOf"], place.below("anyOf")))]


def _one_of(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    """As written exactly one; where names are declared, one of them is of declared names too."""
    at = place.below("oneOf")
    demands = [compiler.graph.one(compiler.literals(schema["oneOf"], at.as_written()))]
    if place.declared:
        demands.append(compiler.graph.any(compiler.literals(schema["oneOf"], at)))
    return demands


def _not(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    return [-compiler.schema(schema["not"], place.below("not").as_written())]


def _if(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    if "then" not in schema and "else" not in schema:
        return []
    graph = compiler.graph
    written, held = compiler.both(schema["if"], place.below("if"))
    then = compiler.schema(schema.get("then", True), place.below("then"))
    otherwise = compiler.schema(schema.get("else", True), place.below("else"))
    return [graph.any([graph.all([written, held, then]), graph.all([-written, otherwise])])]


KEYWORDS: Mapping[str, Keyword] = {
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
}
