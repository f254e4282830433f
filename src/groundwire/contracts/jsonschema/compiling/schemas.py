"""A schema of one document into a literal of the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.dialects import (
    ANNOTATIONS,
    NOT_FOLLOWED,
    Dialect,
)
from groundwire.contracts.jsonschema.compiling.reading import Invalid, as_list
from groundwire.contracts.jsonschema.compiling.references import (
    Path,
    References,
    Target,
    Unresolved,
)
from groundwire.contracts.jsonschema.exact import one_of
from groundwire.contracts.jsonschema.graph import Atom, Graph, Lit, Opaque, Ref
from groundwire.contracts.jsonschema.languages import Languages
from groundwire.contracts.jsonschema.values import Scalar, identity, scalar

MAX_DEPTH = 60
Schema: TypeAlias = Mapping[str, JSON]
# What one keyword of a schema demands, at its place.
Keyword: TypeAlias = Callable[["Compiler", Schema, "Place"], list[Lit]]


class Place(msgspec.Struct, frozen=True):
    """Where a schema stands, and how it is read."""

    path: Path
    resource: Path
    # Names are declared here, on the sender's side, so others count as not sent.
    declared: bool = False
    depth: int = 0

    def below(self, *steps: str | int) -> Place:
        """The place of a part."""
        path = (*self.path, *map(str, steps))
        return Place(path, self.resource, self.declared, self.depth + 1)

    def as_written(self) -> Place:
        """The same place, of which every value counts."""
        return Place(self.path, self.resource, depth=self.depth)


class Document(msgspec.Struct, frozen=True):
    """One of the two documents."""

    side: str
    root: JSON
    dialect: Dialect
    references: References
    # Whether `format` demands anything.
    formats: bool = True


class Compiler:
    """Makes literals of the schemas of one document."""

    def __init__(
        self,
        graph: Graph,
        document: Document,
        keywords: Mapping[str, Keyword],
        languages: Languages,
        shared: frozenset[str] = frozenset(),
    ) -> None:
        self.graph = graph
        self.document = document
        self._keywords = keywords
        self._languages = languages
        # Pointers whose schemas, with all they refer to, are the same in both documents.
        self._shared = shared
        self._waiting: list[tuple[int, JSON, Place]] = []
        self._done: dict[tuple[Path, bool], Lit] = {}

    def at(self, target: Target, *, declared: bool) -> Lit:
        """The literal of the schema at `target`, and of all that it refers to."""
        found = self.schema(target.schema, Place(target.path, target.resource, declared))
        self.finish()
        return found

    def finish(self) -> None:
        """What was referred to is compiled too."""
        while self._waiting:
            number, schema, place = self._waiting.pop()
            if number not in self.graph.targets:
                # Set first: a reference to itself finds it taken.
                self.graph.targets[number] = self.graph.true
                self.graph.targets[number] = self.schema(schema, place)

    def schema(self, schema: JSON, place: Place) -> Lit:
        """The literal of `schema`. Every keyword of it that is not understood is opaque."""
        key = (place.path, place.declared)
        known = self._done.get(key)
        if known is None:
            known = self._done[key] = self._schema(schema, place)
            if place.declared:
                written = self.schema(schema, place.as_written())
                if known > 0 and written != known:
                    self.graph.twins[known] = written
        return known

    def _schema(self, schema: JSON, place: Place) -> Lit:
        if isinstance(schema, bool):
            return self.graph.true if schema else self.graph.false
        if not isinstance(schema, Mapping):
            return self._invalid("schema-invalid", place)
        if place.depth > MAX_DEPTH:
            return self.opaque("schema-too-deep", place)
        if place.path != place.resource and self.document.references.is_resource(schema):
            if "$schema" in schema:
                return self.opaque("dialect-embedded", place)
            place = msgspec.structs.replace(place, resource=place.path)
        parts: list[Lit] = []
        if "$ref" in schema:
            parts.append(self.reference(schema["$ref"], place))
            if self.document.dialect.ref_alone:
                return parts[0]
        for keyword in sorted(schema):
            parts += self._keyword(keyword, schema, place)
        if place.declared and ("properties" in schema or "patternProperties" in schema):
            parts.append(self.graph.node(Atom("object", "declared")))
        return self.graph.all(parts)

    def _keyword(self, keyword: str, schema: Schema, place: Place) -> Iterable[Lit]:
        """What one keyword demands."""
        if keyword in ANNOTATIONS or keyword == "$ref":
            return ()
        if keyword in NOT_FOLLOWED:
            return [self.opaque(f"keyword-not-followed:{keyword}", place)]
        if keyword not in self.document.dialect.keywords:
            if keyword.startswith("x-"):
                return ()
            return [self._unknown(keyword, schema[keyword])]
        try:
            found = self._keywords.get(keyword)
            return () if found is None else found(self, schema, place)
        except Invalid:
            return [self._invalid(f"keyword-invalid:{keyword}", place)]

    def _unknown(self, keyword: str, value: JSON) -> Lit:
        """A keyword that is not known; the same with the same value means the same."""
        return self.graph.node(Opaque(f"keyword-unknown:{keyword}", repr(_sorted(value))))

    # -- parts ---------------------------------------------------------------------------------

    def opaque(self, reason: str, place: Place) -> Lit:
        """That which is said at `place`, whatever it is."""
        return self.graph.node(Opaque(reason, f"{self.document.side}/{'/'.join(place.path)}"))

    def _invalid(self, reason: str, place: Place) -> Lit:
        number = self.opaque(reason, place)
        self.graph.invalid.add(number)
        return number

    def declaring(self, atom: Atom, place: Place, node: Lit = 0) -> Lit:
        """`atom`; where names are declared, its twin that declares, whose part is `node`."""
        written = self.graph.node(atom)
        if not place.declared:
            return written
        number = self.graph.node(msgspec.structs.replace(atom, node=node, declares=True))
        self.graph.twins[number] = written
        return number

    def pattern(self, pattern: str) -> str:
        """`pattern`.

        Raises:
            Invalid: nobody can read it.
        """
        language = self._languages.language(pattern)
        if language == "pattern-invalid" and self._languages.matches(pattern, "") is None:
            raise Invalid
        return pattern

    def both(self, schema: JSON, place: Place) -> tuple[Lit, Lit]:
        """The literal of a part as written, and as it is read at `place`."""
        return self.schema(schema, place.as_written()), self.schema(schema, place)

    def reference(self, reference: JSON, place: Place) -> Lit:
        """The literal of what `reference` leads to; it is compiled by `finish`."""
        if not isinstance(reference, str):
            return self._invalid("reference-invalid", place)
        try:
            target = self.document.references.resolve(reference, place.resource)
        except Unresolved as error:
            return self.opaque(str(error.args[0]), place)
        pointer = "/".join(("#", *target.path))
        side = "both" if pointer in self._shared else self.document.side
        reading = "declared" if place.declared else "written"
        number = self.graph.node(Ref(f"{side} {reading} {pointer}"))
        there = Place(target.path, target.resource, place.declared)
        self._waiting.append((number, target.schema, there))
        if place.declared:
            self.graph.twins[number] = self.reference(reference, place.as_written())
        return number

    def literals(self, value: JSON, place: Place) -> list[Lit]:
        """The literals of a list of schemas.

        Raises:
            Invalid: it is no list with something in it.
        """
        return [
            self.schema(each, place.below(index))
            for index, each in enumerate(as_list(value, least=1))
        ]

    def values(self, values: Sequence[JSON], place: Place) -> Lit:
        """That the value is one of `values`."""
        return one_of(self.graph, values, declares=place.declared)


def _sorted(value: JSON) -> object:
    key: Scalar | None = scalar(value)
    if key is not None:
        return key
    if isinstance(value, Mapping):
        return sorted((name, _sorted(each)) for name, each in value.items())
    return [_sorted(each) for each in value] if isinstance(value, Sequence) else identity(value)
