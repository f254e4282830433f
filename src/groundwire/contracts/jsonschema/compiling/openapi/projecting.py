"""A schema as one that any validator reads: what only OpenAPI says of values, in JSON Schema.

Made for the judge of witnesses, apart from how schemas are compiled; which properties are not sent
and what a discriminator names is read by the same rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.dialects import Dialect
from groundwire.contracts.jsonschema.compiling.openapi.discriminators import (
    COMPONENTS,
    UNIONS,
    Discriminators,
    Kind,
)
from groundwire.contracts.jsonschema.compiling.openapi.marks import Marks
from groundwire.contracts.jsonschema.compiling.references import (
    Path,
    References,
    Target,
    Unresolved,
)

_BESIDE = frozenset({"allOf", "anyOf", "oneOf", "then", "else"})
_UNMARKED = frozenset({"not", "if"})
_BELOW = frozenset(
    {
        "items",
        "prefixItems",
        "additionalItems",
        "contains",
        "additionalProperties",
        "propertyNames",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
_MAPS = frozenset({"properties", "patternProperties"})
_REFERENCES = ("$ref", "$dynamicRef")
_LEFT_OUT = frozenset({*_REFERENCES, "nullable"})
_NONE: frozenset[str] = frozenset()
_NOTHING: JSON = {"not": {}}


class _At(msgspec.Struct, frozen=True):
    """A place in the document, and how it is read."""

    path: Path
    hidden: frozenset[str] = _NONE
    plain: bool = False
    made_of: bool = False

    def beside(self, *steps: str) -> _At:
        return _At((*self.path, *steps), self.hidden, self.plain)

    def below(self, *steps: str) -> _At:
        return _At((*self.path, *steps), _NONE, self.plain)

    def unmarked(self, *steps: str) -> _At:
        return _At((*self.path, *steps), _NONE, plain=True)


class Projection:
    """One schema with all it refers to, each under a number in `definitions`."""

    def __init__(
        self,
        root: JSON,
        references: References,
        dialect: Dialect,
        marks: Marks | None,
        *,
        sends: bool,
    ) -> None:
        """`sends` is whether it is read as what the sender may send."""
        self._references = references
        self._dialect = dialect
        self._marks = marks
        self._sends = sends
        self._discriminators = Discriminators(root, references)
        self._numbers: dict[_At, int] = {}
        self._waiting: list[tuple[JSON, _At]] = []
        # Of each number, the schema and the numbers that it refers to.
        self._done: dict[int, tuple[JSON, frozenset[int]]] = {}
        self._inside: set[int] = set()

    def of(self, target: Target) -> dict[str, JSON]:
        """The schema at `target`, as a document of its own.

        Raises:
            Unresolved: a reference leads nowhere.
        """
        first = self._number(target, _At(target.path))
        definitions: dict[str, JSON] = {}
        waiting = [first]
        while waiting:
            number = waiting.pop()
            if str(number) not in definitions:
                definitions[str(number)], others = self._read(number)
                waiting += sorted(others)
        return {"allOf": [_reference(first)], "definitions": definitions}

    def origin(self, steps: Path) -> tuple[Path, bool]:
        """Where in the document that stands which `steps` lead to in what `of` gave.

        False besides where it is what a discriminator says: then it leads to the schema that has it.
        """
        if len(steps) < 2 or steps[0] != "definitions" or not steps[1].isdecimal():
            return (), True
        schema, at = self._waiting[int(steps[1])]
        path = at.path
        for step in steps[2:]:
            if isinstance(schema, Mapping) and step in schema:
                schema = schema[step]
            elif isinstance(schema, list | tuple) and step.isdecimal() and int(step) < len(schema):
                schema = schema[int(step)]
            elif isinstance(schema, list | tuple):
                return path[:-1], False
            else:
                return path, False
            path = (*path, step)
        return path, True

    def _read(self, number: int) -> tuple[JSON, frozenset[int]]:
        found = self._done.get(number)
        if found is None:
            self._inside = set()
            schema = self._schema(*self._waiting[number])
            found = self._done[number] = (schema, frozenset(self._inside))
        return found

    def _number(self, target: Target, at: _At) -> int:
        number = self._numbers.get(at)
        if number is None:
            number = self._numbers[at] = len(self._numbers)
            self._waiting.append((target.schema, at))
        self._inside.add(number)
        return number

    def _resolved(self, reference: JSON, at: _At) -> JSON:
        if not isinstance(reference, str):
            raise Unresolved("reference-invalid")
        target = self._references.resolve(reference, ())
        hidden = _NONE
        if self._marks is not None:
            hidden = self._marks.passed_on(at.hidden, target.schema, target.path, ())
        made_of = (
            len(at.path) == 5 and at.path[:2] == COMPONENTS and at.path[3] == "allOf"
        ) and _has(target.schema, "discriminator")
        return _reference(self._number(target, _At(target.path, hidden, at.plain, made_of)))

    # -- one schema ----------------------------------------------------------------------------

    def _schema(self, schema: JSON, at: _At) -> JSON:
        if isinstance(schema, bool):
            return {} if schema else _NOTHING
        if not isinstance(schema, Mapping):
            raise Unresolved("schema-invalid")
        if self._marks is not None and not at.plain:
            hidden = at.hidden | self._marks.hidden(schema, at.path, ())
            at = msgspec.structs.replace(at, hidden=hidden)
        if "$ref" in schema and self._dialect.ref_alone:
            return self._resolved(schema["$ref"], at)
        found = self._keywords(schema, at)
        more = self._applied(schema, at)
        kind = found.get("type")
        is_nullable = "nullable" in self._dialect.keywords and schema.get("nullable") is True
        if is_nullable and isinstance(kind, str) and kind != "null":
            found["type"] = [kind, "null"]
        if more:
            joined = found.get("allOf")
            found["allOf"] = [*(joined if isinstance(joined, list) else []), *more]
        return found

    def _keywords(self, schema: Mapping[str, JSON], at: _At) -> dict[str, JSON]:
        """The keywords that any validator knows."""
        found: dict[str, JSON] = {}
        for name, value in schema.items():
            if name == "required" and isinstance(value, list | tuple):
                # Draft 4 knows no empty list.
                if names := self._required(value, at):
                    found[name] = names
            elif name in UNIONS and "discriminator" in schema:
                continue
            elif name in self._dialect.keywords and name not in _LEFT_OUT:
                found[name] = self._keyword(name, value, at)
        return found

    def _applied(self, schema: Mapping[str, JSON], at: _At) -> list[JSON]:
        """What holds too: what is referred to, and what a discriminator says."""
        more = [self._resolved(schema[each], at) for each in _REFERENCES if each in schema]
        if "discriminator" in schema:
            unions = [each for each in UNIONS if each in schema]
            more += [self._union(schema, each, schema[each], at) for each in unions]
            if not unions and not at.made_of:
                more += self._base(schema, at)
        return more

    def _keyword(self, name: str, value: JSON, at: _At) -> JSON:
        if name == "properties" and isinstance(value, Mapping):
            hidden: JSON = _NOTHING if self._sends else {}
            return {
                each: hidden if each in at.hidden else self._schema(part, at.below(name, each))
                for each, part in value.items()
            }
        if name in _MAPS and isinstance(value, Mapping):
            return {each: self._schema(part, at.below(name, each)) for each, part in value.items()}
        if name in {"dependentSchemas", "dependentRequired", "dependencies"}:
            return self._dependent(name, value, at)
        if name in _BESIDE:
            return self._parts(value, at.beside(name))
        if name in _UNMARKED:
            return self._parts(value, at.unmarked(name))
        return self._parts(value, at.below(name)) if name in _BELOW else value

    @staticmethod
    def _required(names: Iterable[JSON], at: _At) -> list[JSON]:
        return [name for name in names if not isinstance(name, str) or name not in at.hidden]

    def _dependent(self, name: str, value: JSON, at: _At) -> JSON:
        if not isinstance(value, Mapping):
            return value
        found: dict[str, JSON] = {}
        for each, part in value.items():
            if isinstance(part, list | tuple):
                found[each] = self._required(part, at)
            else:
                found[each] = self._schema(part, at.beside(name, each))
        return found

    def _parts(self, value: JSON, at: _At) -> JSON:
        if isinstance(value, list | tuple):
            return [
                self._schema(part, msgspec.structs.replace(at, path=(*at.path, str(index))))
                for index, part in enumerate(value)
            ]
        if isinstance(value, bool) and self._dialect.exclusive_flags:
            return value
        return self._schema(value, at)

    # -- discriminators --------------------------------------------------------------------------

    def _union(self, schema: Mapping[str, JSON], name: str, value: JSON, at: _At) -> JSON:
        plain = self._parts(value, at.beside(name))
        key = self._discriminators.property_of(schema)
        kinds = self._discriminators.of_union(schema, name, ())
        if key is None or kinds is None:
            raise Unresolved("discriminator-not-followed")
        others = {"not": {"type": "object"}, name: plain}
        return {"anyOf": [others, *(self._kind(key, kind, at) for kind in kinds)]}

    def _kind(self, key: str, kind: Kind, at: _At) -> JSON:
        return {
            "type": "object",
            "required": [key],
            "properties": {key: {"enum": list(kind.keys)}},
            "allOf": [self._resolved(kind.reference, at)],
        }

    def _base(self, schema: Mapping[str, JSON], at: _At) -> list[JSON]:
        """What a known key says; who sends sends no others, of which nothing is said here."""
        key = self._discriminators.property_of(schema)
        kinds = self._discriminators.of_base(schema, at.path, ())
        if key is None or kinds is None:
            raise Unresolved("discriminator-not-followed")
        found: list[JSON] = []
        if self._sends:
            known = [each for kind in kinds for each in kind.keys]
            found.append({"properties": {key: {"enum": known}}})
        for kind in kinds:
            if kind.reference:
                keyed: JSON = {
                    "type": "object",
                    "required": [key],
                    "properties": {key: {"enum": list(kind.keys)}},
                }
                found.append({"anyOf": [{"not": keyed}, self._resolved(kind.reference, at)]})
        return found


def _reference(number: int) -> JSON:
    return {"$ref": f"#/definitions/{number}"}


def _has(schema: JSON, name: str) -> bool:
    return isinstance(schema, Mapping) and name in schema
