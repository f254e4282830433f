"""Which schemas are the same in both documents, with all they refer to; texts for people aside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.openapi.discriminators import (
    UNIONS,
    Discriminators,
)
from groundwire.contracts.jsonschema.compiling.references import Path, Target, Unresolved
from groundwire.contracts.jsonschema.compiling.schemas import Document
from groundwire.contracts.jsonschema.values import identity, scalar

_TEXTS = frozenset(
    {
        "title",
        "description",
        "default",
        "example",
        "examples",
        "deprecated",
        "externalDocs",
        "xml",
        "$comment",
    }
)
_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_SCHEMAS = frozenset(
    {
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
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
_RESOURCES = ("$id", "$anchor", "$dynamicAnchor")
_MARKS = (b'"readOnly":true', b'"writeOnly":true', b'"discriminator":')


class _Inside(msgspec.Struct, frozen=True):
    """Where the references of one schema lead, and whether it says something about who sends."""

    paths: tuple[Path, ...]
    marked: bool


class Sharing:
    """What two documents have in common; looked for where it is asked for, and then known.

    Only by pointers from the root; where a part has an identifier of its own, nothing is shared.
    """

    def __init__(self, old: Document, new: Document) -> None:
        self._sides = {"old": _Closure(old), "new": _Closure(new)}
        self._comparable = (
            old.dialect == new.dialect
            and old.formats == new.formats
            and not any(side.has_resources for side in self._sides.values())
        )
        self._same: dict[Path, bool] = {}
        self._alike: dict[Path, tuple[Path, ...] | None] = {}

    @property
    def has_marks(self) -> bool:
        """Whether who sends makes a difference in either document."""
        return any(side.may_be_marked for side in self._sides.values())

    def is_marked(self, side: str, target: Target) -> bool:
        """Whether it makes a difference there, or in what is referred to, who sends.

        Because a property is marked as not sent, or because things of a kind that nobody knows
        are not sent either.
        """
        return self._sides[side].is_marked(target)

    def is_same(self, path: Path) -> bool:
        """Whether the same stands at `path` in both, with all that is referred to."""
        known = self._same.get(path)
        if known is None:
            known = self._comparable and self._is_same(path)
            self._same[path] = known
        return known

    def are_same(self, old: Target, new: Target) -> bool:
        """Whether two schemas, each of one of the documents, are the same in the same way."""
        if not self._comparable:
            return False
        before = self._sides["old"].inside_of(old)
        after = self._sides["new"].inside_of(new)
        if before is None or after is None or before.paths != after.paths:
            return False
        return alike(old.schema, new.schema) and all(self.is_same(path) for path in before.paths)

    def _is_same(self, start: Path) -> bool:
        seen = {start}
        waiting = [start]
        while waiting:
            inside = self._both(waiting.pop())
            if inside is None:
                return False
            for path in inside:
                known = self._same.get(path)
                if known is False:
                    return False
                if known is None and path not in seen:
                    seen.add(path)
                    waiting.append(path)
        self._same.update(dict.fromkeys(seen, True))
        return True

    def _both(self, path: Path) -> tuple[Path, ...] | None:
        """The paths inside of what stands at `path`, where that is alike in both."""
        if path not in self._alike:
            old, new = self._sides["old"].at(path), self._sides["new"].at(path)
            found = None
            if old is not None and new is not None and alike(old.schema, new.schema):
                before = self._sides["old"].inside_of(old)
                after = self._sides["new"].inside_of(new)
                if before is not None and before == after:
                    found = before.paths
            self._alike[path] = found
        return self._alike[path]


class _Closure:
    """What is referred to in one document."""

    def __init__(self, document: Document) -> None:
        self._references = document.references
        self._openapi = document.openapi
        self._discriminators = Discriminators(document.root, document.references)
        text = _written(document.root)
        self.may_be_marked = document.openapi and (not text or any(each in text for each in _MARKS))
        named = {*_RESOURCES, document.dialect.id_keyword}
        self.has_resources = (
            not text or any(f'"{name}":'.encode() in text for name in named)
        ) and any(_is_resource(document, part) for part in _parts(document.root))
        self._inside: dict[Path, _Inside | None] = {}
        self._marked: dict[Path, bool] = {}

    def at(self, path: Path) -> Target | None:
        steps = (step.replace("~", "~0").replace("/", "~1").replace("%", "%25") for step in path)
        try:
            return self._references.resolve("/".join(("#", *steps)), ())
        except Unresolved:
            return None

    def inside_of(self, target: Target) -> _Inside | None:
        """What is inside one schema; None where a reference of it leads nowhere."""
        if target.path not in self._inside:
            self._inside[target.path] = self._read(target)
        return self._inside[target.path]

    def is_marked(self, start: Target) -> bool:
        if not self.may_be_marked:
            return False
        if start.path not in self._marked:
            seen = {start.path}
            waiting: list[Target | None] = [start]
            found = False
            while waiting and not found:
                target = waiting.pop()
                inside = self.inside_of(target) if target is not None else None
                found = inside is None or inside.marked
                for path in inside.paths if inside is not None else ():
                    found = found or self._marked.get(path, False)
                    if path not in seen and path not in self._marked:
                        seen.add(path)
                        waiting.append(self.at(path))
            self._marked.update(dict.fromkeys([start.path] if found else seen, found))
        return self._marked[start.path]

    def _read(self, target: Target) -> _Inside | None:
        paths: list[Path] = []
        marked = False
        for part in _parts(target.schema):
            marked = marked or part.get("readOnly") is True or part.get("writeOnly") is True
            marked = marked or ("discriminator" in part and not any(u in part for u in UNIONS))
            try:
                paths += [
                    self._references.resolve(reference, ()).path
                    for reference in self._named(part, target)
                ]
            except Unresolved:
                return None
        return _Inside(tuple(dict.fromkeys(paths)), marked)

    def _named(self, part: Mapping[str, JSON], target: Target) -> Iterator[str]:
        for keyword in ("$ref", "$dynamicRef"):
            reference = part.get(keyword)
            if isinstance(reference, str):
                yield reference
        if not self._openapi or "discriminator" not in part:
            return
        unions = [name for name in UNIONS if name in part]
        for keyword in unions:
            for kind in self._discriminators.of_union(part, keyword, ()) or ():
                yield kind.reference
        if not unions and part is target.schema:
            for kind in self._discriminators.of_base(part, target.path, ()) or ():
                yield kind.reference or "#"


def alike(old: JSON, new: JSON) -> bool:
    """Whether two schemas say the same of values, word for word but for what is only for people."""
    if old is new or (old == new and _encoded(old) == _encoded(new) != b""):
        return True
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        if isinstance(old, list | tuple) and isinstance(new, list | tuple):
            return len(old) == len(new) and all(map(alike, old, new))
        return scalar(old) is not None and scalar(old) == scalar(new)
    names = {name for name in old if not _is_text(name)}
    if names != {name for name in new if not _is_text(name)}:
        return False
    return all(_alike_in(name, old[name], new[name]) for name in names)


def _alike_in(keyword: str, old: JSON, new: JSON) -> bool:
    if keyword in _SCHEMAS:
        return alike(old, new)
    if keyword in _MAPS and isinstance(old, Mapping) and isinstance(new, Mapping):
        return old.keys() == new.keys() and all(alike(old[name], new[name]) for name in old)
    if keyword == "required" and isinstance(old, list) and isinstance(new, list):
        return sorted(map(repr, old)) == sorted(map(repr, new))
    return identity(old) == identity(new)


def _is_text(name: str) -> bool:
    return name in _TEXTS or name.startswith("x-")


def _encoded(value: JSON) -> bytes:
    """The value as canonical bytes; none where it has numbers that are too large for that."""
    try:
        return msgspec.json.encode(value, order="sorted")
    except (TypeError, ValueError, OverflowError, RecursionError):
        return b""


def _written(value: JSON) -> bytes:
    """The value as bytes in which it may be looked for what is in it; none as `_encoded`."""
    try:
        return msgspec.json.encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return b""


def _parts(value: JSON) -> Iterator[Mapping[str, JSON]]:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        # Documents were checked: objects are dictionaries, arrays lists or tuples.
        if isinstance(part, dict):
            yield part
            waiting += part.values()
        elif isinstance(part, list | tuple):
            waiting += part


def _is_resource(document: Document, part: Mapping[str, JSON]) -> bool:
    if part is not document.root and document.references.is_resource(part):
        return True
    return any(isinstance(part.get(name), str) for name in ("$anchor", "$dynamicAnchor"))
