"""Keywords about objects."""

from __future__ import annotations

from collections.abc import Mapping

from groundwire.contracts.jsonschema.compiling.arrays import is_list
from groundwire.contracts.jsonschema.compiling.reading import as_names, as_object
from groundwire.contracts.jsonschema.compiling.scalars import counted
from groundwire.contracts.jsonschema.compiling.schemas import Compiler, Keyword, Place, Schema
from groundwire.contracts.jsonschema.graph import Atom, Lit


def required(compiler: Compiler, name: str, place: Place) -> Lit:
    """That the object has a member of this name."""
    return compiler.declaring(Atom("object", "required", text=name), place)


def _properties(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    members = as_object(schema["properties"])
    at = place.below("properties")
    found: list[Lit] = []
    for name in sorted(members):
        atom = Atom("object", "property", text=name)
        if name not in place.hidden:
            found.append(_member(compiler, atom, members, at))
        elif compiler.sends:
            nothing = compiler.graph.false
            never = Atom("object", "property", text=name, node=nothing)
            found.append(compiler.declaring(never, place, nothing))
    return found


def _pattern_properties(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    members = as_object(schema["patternProperties"])
    at = place.below("patternProperties")
    return [
        _member(
            compiler,
            Atom("object", "pattern-property", text=compiler.pattern(pattern)),
            members,
            at,
        )
        for pattern in sorted(members)
    ]


def _member(compiler: Compiler, atom: Atom, members: Schema, place: Place) -> Lit:
    written, node = compiler.both(members[atom.text], place.below(atom.text))
    whole = Atom(atom.of, atom.kind, text=atom.text, node=written)
    return compiler.declaring(whole, place, node)


def _additional_properties(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    names = tuple(sorted(as_object(schema.get("properties", {}))))
    patterns: tuple[str, ...] = ()
    if "patternProperties" in compiler.document.dialect.keywords:
        patterns = tuple(sorted(as_object(schema.get("patternProperties", {}))))
    at = place.below("additionalProperties")
    written, node = compiler.both(schema["additionalProperties"], at)
    atom = Atom("object", "additional", node=written, names=names, patterns=patterns)
    return [compiler.declaring(atom, place, node)]


def _required(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    names = sorted(as_names(schema["required"]))
    return [required(compiler, name, place) for name in names if name not in place.hidden]


def _property_names(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    at = place.below("propertyNames").as_written()
    node = compiler.schema(schema["propertyNames"], at)
    return [compiler.graph.node(Atom("object", "names", node=node))]


def _depending(
    compiler: Compiler, keyword: str, schema: Schema, place: Place, *, lists: bool, schemas: bool
) -> list[Lit]:
    demands: list[Lit] = []
    members = as_object(schema[keyword])
    for name in sorted(members):
        wanted, at = members[name], place.beside(keyword, name)
        if lists and (is_list(wanted) or not schemas):
            others = [other for other in as_names(wanted) if other not in place.hidden]
            parts = [required(compiler, other, place) for other in others]
            then = compiler.graph.all(parts)
        else:
            then = compiler.schema(wanted, at)
        there = compiler.graph.node(Atom("object", "required", text=name))
        isobject = compiler.graph.type("object")
        demands.append(compiler.graph.any([-isobject, -there, then]))
    return demands


def _dependencies(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    return _depending(compiler, "dependencies", schema, place, lists=True, schemas=True)


def _dependent_required(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    return _depending(compiler, "dependentRequired", schema, place, lists=True, schemas=False)


def _dependent_schemas(compiler: Compiler, schema: Schema, place: Place) -> list[Lit]:
    return _depending(compiler, "dependentSchemas", schema, place, lists=False, schemas=True)


KEYWORDS: Mapping[str, Keyword] = {
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "required": _required,
    "propertyNames": _property_names,
    "minProperties": counted("minProperties", "object", "min-properties"),
    "maxProperties": counted("maxProperties", "object", "max-properties"),
    "dependencies": _dependencies,
    "dependentRequired": _dependent_required,
    "dependentSchemas": _dependent_schemas,
}
