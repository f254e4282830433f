"""A schema of one document into a literal of the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.dialects import (
    ANNOTATIONS,
    NOT_FOLLOWED,
    OF_OPENAPI,
    Dialect,
)
from groundwire.contracts.jsonschema.compiling.openapi.discriminators import (
    COMPONENTS,
    Discriminators,
)
from groundwire.contracts.jsonschema.compiling.openapi.marks import MARKS, Marks
from groundwire.contracts.jsonschema.compiling.reading import Invalid, as_list
from groundwire.contracts.jsonschema.compiling.references import (
    Path,
    References,
    Target,
    Unresolved,
    unread_reason,
)
from groundwire.contracts.jsonschema.exact import one_of
from groundwire.contracts.jsonschema.graph import Atom, Graph, Lit, Opaque, Ref
from groundwire.contracts.jsonschema.languages import Languages
from groundwire.contracts.jsonschema.values import (
    NotComparable,
    Scalar,
    check_document,
    identity,
    scalar,
)
from groundwire.contracts.verdict import Direction

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
    # Properties of the object that are not sent, wherever it is said.
    hidden: frozenset[str] = frozenset()
    # Here marks of properties do not count.
    plain: bool = False
    # What stands here is what something else is made of.
    made_of: bool = False

    def below(self, *steps: str | int) -> Place:
        """The place of a schema of a part of the value."""
        path = (*self.path, *map(str, steps))
        return Place(path, self.resource, self.declared, self.depth + 1, plain=self.plain)

    def beside(self, *steps: str | int) -> Place:
        """The place of a schema of the same value."""
        path = (*self.path, *map(str, steps))
        return Place(path, self.resource, self.declared, self.depth + 1, self.hidden, self.plain)

    def as_written(self) -> Place:
        """The same place, of which every value counts."""
        return msgspec.structs.replace(self, declared=False) if self.declared else self

    def unmarked(self) -> Place:
        """The same place, where marks of properties do not count."""
        return msgspec.structs.replace(self, hidden=frozenset(), plain=True)


class Document(msgspec.Struct, frozen=True):
    """One of the two documents."""

    side: str
    root: JSON
    dialect: Dialect
    references: References
    # Whether `format` demands anything.
    formats: bool = True
    # Whether `readOnly`, `writeOnly` and `discriminator` mean what they do in OpenAPI.
    openapi: bool = False


class Shared(Protocol):
    """Knows which paths lead to the same in both documents."""

    def is_same(self, path: Path) -> bool:
        """Whether they lead to the same in both documents, with all that is referred to."""
        ...

    def is_marked(self, side: str, target: Target) -> bool:
        """Whether a property is marked as not sent there, or in what is referred to."""
        ...


class Compiler:
    """Makes literals of the schemas of one document."""

    def __init__(
        self,
        graph: Graph,
        document: Document,
        keywords: Mapping[str, Keyword],
        languages: Languages,
        sharing: Shared | None = None,
        direction: Direction | None = None,
    ) -> None:
        self.graph = graph
        self.document = document
        self._keywords = keywords
        self._languages = languages
        self._sharing = sharing
        # Whose messages are read; None where it makes no difference.
        self._direction = direction
        # Whether the document is the sender's.
        self.sends = (direction == "accepts") == (document.side == "old")
        self._marks = None
        self.discriminators = None
        if document.openapi:
            self.discriminators = Discriminators(document.root, document.references)
            if direction is not None:
                self._marks = Marks(
                    document.references, MARKS[direction], ref_alone=document.dialect.ref_alone
                )
        self._waiting: list[tuple[int, JSON, Place]] = []
        # Of each schema that was looked at by itself, why it is beyond the bounds.
        self._beyond: dict[Path, str] = {}
        self._done: dict[tuple[Path, bool, frozenset[str], bool, bool], Lit] = {}

    def at(self, target: Target, *, declared: bool) -> Lit:
        """The literal of the schema at `target`, and of all that it refers to."""
        place = Place(target.path, target.resource, declared, plain=not self._is_marked(target))
        found = self._bounded(target.schema, place)
        self.finish()
        return found

    def finish(self) -> None:
        """What was referred to is compiled too."""
        while self._waiting:
            number, schema, place = self._waiting.pop()
            if number not in self.graph.targets:
                # Set first: a reference to itself finds it taken.
                self.graph.targets[number] = self.graph.true
                self.graph.targets[number] = self._bounded(schema, place)

    def _bounded(self, schema: JSON, place: Place) -> Lit:
        """The literal of a schema; of one that is beyond the bounds nothing is known.

        Of a whole document that was asked before.
        """
        if self.document.openapi and place.path not in self._beyond:
            self._beyond[place.path] = ""
            try:
                check_document(schema)
            except NotComparable as error:
                self._beyond[place.path] = str(error.args[0])
        reason = self._beyond.get(place.path)
        return self.opaque(reason, place) if reason else self.schema(schema, place)

    def schema(self, schema: JSON, place: Place) -> Lit:
        """The literal of `schema`. Every keyword of it that is not understood is opaque."""
        key = (place.path, place.declared, place.hidden, place.plain, place.made_of)
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
        if self._marks is not None and not place.plain:
            hidden = self._marks.hidden(schema, place.path, place.resource)
            if not hidden <= place.hidden:
                place = msgspec.structs.replace(place, hidden=place.hidden | hidden)
        parts: list[Lit] = []
        if "$ref" in schema:
            parts.append(self._referred(schema, place))
            if self.document.dialect.ref_alone:
                return parts[0]
        for keyword in sorted(schema):
            parts += self._keyword(keyword, schema, place)
        if place.declared and ("properties" in schema or "patternProperties" in schema):
            parts.append(self.graph.node(Atom("object", "declared")))
        return self.graph.all(parts)

    def _referred(self, schema: Schema, place: Place) -> Lit:
        """What the reference of a schema leads to.

        What could not be read means the same as the same, unless that refers to something else.
        """
        reason = unread_reason(schema["$ref"])
        if reason is None or _refers(schema):
            return self.reference(schema["$ref"], place)
        return self.graph.node(Opaque(reason, repr(_sorted(schema))))

    def _keyword(self, keyword: str, schema: Schema, place: Place) -> Iterable[Lit]:
        """What one keyword demands."""
        if keyword == "$dynamicRef" and keyword in self.document.dialect.keywords:
            return [self.reference(schema[keyword], place, dynamic=True)]
        if keyword in OF_OPENAPI and self.document.openapi:
            return self._keywords[keyword](self, schema, place)
        if keyword in ANNOTATIONS or keyword == "$ref":
            return ()
        if keyword in NOT_FOLLOWED:
            return [self.opaque(f"keyword-not-followed:{keyword}", place)]
        if keyword not in self.document.dialect.keywords:
            if keyword.startswith("x-"):
                return ()
            return [self.unknown(keyword, schema[keyword])]
        try:
            found = self._keywords.get(keyword)
            return () if found is None else found(self, schema, place)
        except Invalid:
            return [self._invalid(f"keyword-invalid:{keyword}", place)]

    def unknown(self, keyword: str, value: JSON) -> Lit:
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

    def reference(self, reference: JSON, place: Place, *, dynamic: bool = False) -> Lit:
        """The literal of what `reference` leads to; it is compiled by `finish`."""
        if not isinstance(reference, str):
            return self._invalid("reference-invalid", place)
        references = self.document.references
        resolve = references.resolve_dynamic if dynamic else references.resolve
        try:
            target = resolve(reference, place.resource)
        except Unresolved as error:
            return self.opaque(str(error.args[0]), place)
        there = self._there(target, place)
        number = self.graph.node(Ref(self._label(target, there)))
        self._waiting.append((number, target.schema, there))
        if place.declared:
            self.graph.twins[number] = self.reference(
                reference, place.as_written(), dynamic=dynamic
            )
        return number

    def _there(self, target: Target, place: Place) -> Place:
        """How what a reference at `place` leads to is read."""
        hidden: frozenset[str] = frozenset()
        if self._marks is not None and place.hidden:
            hidden = self._marks.passed_on(
                place.hidden, target.schema, target.path, target.resource
            )
        made_of = (
            self.discriminators is not None
            and place.path[:2] == COMPONENTS
            and place.path[3:4] == ("allOf",)
            and len(place.path) == 5
            and isinstance(target.schema, Mapping)
            and "discriminator" in target.schema
        )
        plain = place.plain or not (hidden or self._is_marked(target))
        return Place(target.path, target.resource, place.declared, 0, hidden, plain, made_of)

    def _is_marked(self, target: Target) -> bool:
        """Whether it makes a difference there who sends."""
        if self._marks is None:
            return False
        return self._sharing is None or self._sharing.is_marked(self.document.side, target)

    def _label(self, target: Target, there: Place) -> str:
        """What the node of a reference is called: the same only where it means the same."""
        side = self.document.side
        marked = bool(there.hidden) or self._is_marked(target)
        if marked and not there.plain:
            side = f"{side} {self._direction}"
        elif not marked and self._sharing is not None and self._sharing.is_same(target.path):
            side = "both"
        reading = "declared" if there.declared else "written"
        how = "part" if there.made_of else ""
        steps = (step.replace("~", "~0").replace("/", "~1") for step in target.path)
        hidden = " ".join(sorted(repr(name) for name in there.hidden))
        return " ".join((side, reading, how, hidden, "/".join(("#", *steps))))

    def literals(self, value: JSON, place: Place) -> list[Lit]:
        """The literals of a list of schemas.

        Raises:
            Invalid: it is no list with something in it.
        """
        return [
            self.schema(each, place.beside(index))
            for index, each in enumerate(as_list(value, least=1))
        ]

    def values(self, values: Sequence[JSON], place: Place) -> Lit:
        """That the value is one of `values`."""
        return one_of(self.graph, values, declares=place.declared)


def _refers(schema: Schema) -> bool:
    """Whether a reference stands in the parts of `schema`."""
    waiting = list(schema.values())
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            if "$ref" in part or "$dynamicRef" in part:
                return True
            waiting += part.values()
        elif isinstance(part, Sequence) and not isinstance(part, str):
            waiting += part
    return False


def _sorted(value: JSON) -> object:
    key: Scalar | None = scalar(value)
    if key is not None:
        return key
    if isinstance(value, Mapping):
        return sorted((name, _sorted(each)) for name, each in value.items())
    return [_sorted(each) for each in value] if isinstance(value, Sequence) else identity(value)
