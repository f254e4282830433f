"""Keywords about a value as a whole, numbers and strings."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.reading import (
    Invalid,
    as_count,
    as_list,
    as_names,
    as_text,
)
from groundwire.contracts.jsonschema.compiling.schemas import Compiler, Keyword, Place, Schema
from groundwire.contracts.jsonschema.graph import Atom, AtomKind, Lit, Opaque
from groundwire.contracts.jsonschema.values import TYPES, Type, number

# Formats of numbers in OpenAPI; all others are of strings.
FORMATS_OF_NUMBERS = frozenset({"int32", "int64", "float", "double"})


def _type(compiler: Compiler, schema: Schema, _place: Place) -> list[Lit]:
    graph = compiler.graph
    named = schema["type"]
    names = [named] if isinstance(named, str) else as_names(as_list(named, least=1))
    choices: list[Lit] = []
    for name in names:
        if name == "integer":
            whole = Atom("number", "multiple", number=Fraction(1))
            choices.append(graph.all([graph.type("number"), graph.node(whole)]))
        else:
            choices.append(graph.type(_type_named(name)))
    if schema.get("nullable") is True and "nullable" in compiler.document.dialect.keywords:
        choices.append(graph.type("null"))
    return [graph.any(choices)]


def _type_named(name: str) -> Type:
    for kind in TYPES:
        if kind == name:
            return kind
    raise Invalid


def _enum(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    """Where null is allowed by `nullable` but not listed, people differ on what that means."""
    values = as_list(schema["enum"])
    listed = compiler.values(values, place)
    if (
        schema.get("nullable") is not True
        or "nullable" not in compiler.document.dialect.keywords
        or any(value is None for value in values)
    ):
        return [listed]
    graph = compiler.graph
    perhaps = graph.node(Opaque("nullable-beside-enum", ""))
    return [graph.any([listed, graph.all([graph.type("null"), perhaps])])]


def _const(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    return [compiler.values([schema["const"]], place)]


def _as_number(value: JSON) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Invalid
    return number(value)


def _bound(keyword: str, loose: AtomKind, strict: AtomKind) -> Keyword:
    exclusive = "exclusive" + keyword.capitalize()

    def demand(compiler: Compiler, schema: Schema, _place: Place) -> list[Lit]:
        kind = loose
        if compiler.document.dialect.exclusive_flags:
            flag = schema.get(exclusive, False)
            if not isinstance(flag, bool):
                raise Invalid
            kind = strict if flag else loose
        return [compiler.graph.node(Atom("number", kind, number=_as_number(schema[keyword])))]

    return demand


def _exclusive_bound(keyword: str, strict: AtomKind) -> Keyword:
    def demand(compiler: Compiler, schema: Schema, _place: Place) -> list[Lit]:
        if compiler.document.dialect.exclusive_flags:
            if not isinstance(schema[keyword], bool):
                raise Invalid
            return []
        return [compiler.graph.node(Atom("number", strict, number=_as_number(schema[keyword])))]

    return demand


def _multiple_of(compiler: Compiler, schema: Schema, _place: Place) -> list[Lit]:
    step = _as_number(schema["multipleOf"])
    if step <= 0:
        raise Invalid
    return [compiler.graph.node(Atom("number", "multiple", number=step))]


def counted(keyword: str, of: Type, kind: AtomKind) -> Keyword:
    """The demand of a keyword whose value is a count."""

    def demand(compiler: Compiler, schema: Schema, _place: Place) -> list[Lit]:
        return [compiler.graph.node(Atom(of, kind, count=as_count(schema[keyword])))]

    return demand


def _pattern(compiler: Compiler, schema: Schema, _place: Place) -> list[Lit]:
    pattern = compiler.pattern(as_text(schema["pattern"]))
    return [compiler.graph.node(Atom("string", "pattern", text=pattern))]


def _format(compiler: Compiler, schema: Schema, _place: Place) -> list[Lit]:
    name = as_text(schema["format"])
    if not compiler.document.formats:
        return []
    of: Type = "number" if name in FORMATS_OF_NUMBERS else "string"
    return [compiler.graph.node(Atom(of, "format", text=name))]


def _content(keyword: str) -> Keyword:
    """What a string holds, as a predicate that is not looked into, like a format."""

    def demand(compiler: Compiler, schema: Schema, _place: Place) -> list[Lit]:
        text = f"{keyword} {as_text(schema[keyword])}"
        if not compiler.document.formats:
            return []
        return [compiler.graph.node(Atom("string", "format", text=text))]

    return demand


KEYWORDS: Mapping[str, Keyword] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "minimum": _bound("minimum", "at-least", "above"),
    "maximum": _bound("maximum", "at-most", "below"),
    "exclusiveMinimum": _exclusive_bound("exclusiveMinimum", "above"),
    "exclusiveMaximum": _exclusive_bound("exclusiveMaximum", "below"),
    "multipleOf": _multiple_of,
    "minLength": counted("minLength", "string", "min-length"),
    "maxLength": counted("maxLength", "string", "max-length"),
    "pattern": _pattern,
    "format": _format,
    "contentMediaType": _content("contentMediaType"),
    "contentEncoding": _content("contentEncoding"),
}
