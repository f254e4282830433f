"""The files that a description refers to, put beside its own keys, with references led there.

References are rewritten where they stand and are not expanded, so cycles between files stay what
they are. Data that looks like a reference (an example's, a default's) is left alone, and so is
what stands under an `$id`, whose references are of its own resource.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.dialects import DialectName, dialect_of
from groundwire.contracts.openapi.opening.files import Files, at, path_of_anchor
from groundwire.contracts.openapi.opening.grammar import (
    ANY_OTHER,
    GRAMMAR,
    PUT_IN_PLACE,
    Kind,
    Shape,
)
from groundwire.contracts.openapi.opening.places import Outside, Place, place_of
from groundwire.contracts.openapi.resolving import join

FILES_KEY: Final = "x-groundwire-files"
_CHAIN: Final = 100
_CONTAINERS: Final = frozenset((dict, list))
# A mapping's value is a schema's name, unless it looks like a way to one.
_INNER_MAPPING: Final = re.compile(rb'"mapping":\{(?:"[^"\\]*":"#[^"\\]*",?)*\}')
_WAYS: Final = ("/", "#", ".json", ".yaml", ".yml")


class _Part(msgspec.Struct, frozen=True):
    """A part of a file: what it is by the grammar, and whether an `$id` stands on the way to it."""

    value: dict[str, JSON]
    kind: Kind
    file: str
    pointer: str
    resource: bool = False


class Bundle:
    """Goes through a description from its root, and through whatever it refers to."""

    def __init__(self, files: Files, root: str, dialect: DialectName, itself: str = "") -> None:
        self._files = files
        self._root = root
        self._dialect = dialect
        # The URI that the root says to be its own; then others are not files beside it.
        self._itself = itself
        self._seen: set[tuple[int, Kind]] = set()
        self._waiting: list[_Part] = []
        self.unread: dict[str, str] = {}
        # Where something else was put in place: what stood there, by the pointer it is reached at.
        self.moved: dict[str, str] = {}

    def gather(self, root: dict[str, JSON]) -> None:
        """Rewrites every reference to a file in `root`, and in the files it leads to.

        Raises:
            Unreadable: `too-large`.
        """
        for name in root:
            if name not in GRAMMAR["document"]:
                self._settled(root, name, self._root, join("#", name))
        self._push(root, "document", self._root, "#")
        while self._waiting:
            self._part(self._waiting.pop())

    def _push(
        self, value: JSON, kind: Kind, file: str, pointer: str, *, resource: bool = False
    ) -> None:
        if isinstance(value, dict) and (id(value), kind) not in self._seen:
            self._seen.add((id(value), kind))
            self._waiting.append(_Part(value, kind, file, pointer, resource))

    def _part(self, part: _Part) -> None:
        own = part.value.get("$id") if part.kind == "schema" else None
        if isinstance(own, str) and own and not own.startswith("#"):
            part = msgspec.structs.replace(part, resource=True)
        if part.kind == "schema" and not self._is_of_dialect(part.value):
            self.unread.setdefault(part.pointer, "dialect-embedded")
        if isinstance(part.value.get("$ref"), str):
            self._reference(part, part.value, "$ref")
        slots = GRAMMAR[part.kind]
        for name, value in list(part.value.items()):
            slot = slots.get(name)
            if slot is None and ANY_OTHER in slots and not name.startswith("x-") and name != "$ref":
                slot = slots[ANY_OTHER]
            if slot is not None:
                self._slot(part, name, value, *slot)
        if part.kind == "schema" and isinstance(part.value.get("discriminator"), dict):
            self._mapping(part)
        if part.kind == "link" and isinstance(part.value.get("operationRef"), str):
            self._reference(part, part.value, "operationRef")

    def _is_of_dialect(self, schema: dict[str, JSON]) -> bool:
        """Whether a schema is of the description's dialect; in 3.0 it may not say another."""
        if "$schema" not in schema or self._dialect == "openapi-3.0":
            return True
        named = dialect_of(schema)
        return named is not None and named.name == self._dialect

    def _slot(self, part: _Part, name: str, value: JSON, shape: Shape, kind: Kind) -> None:
        file, pointer = part.file, join(part.pointer, name)
        if shape == "map" or kind in PUT_IN_PLACE:
            value, file, pointer = self._settled(part.value, name, file, pointer)
        if isinstance(value, list):
            for index, each in enumerate(value):
                self._push(each, kind, file, join(pointer, str(index)), resource=part.resource)
        elif isinstance(value, dict) and shape == "map":
            for key, each in list(value.items()):
                found, where, below = each, file, join(pointer, key)
                if kind in PUT_IN_PLACE:
                    found, where, below = self._settled(value, key, file, below)
                self._push(found, kind, where, below, resource=part.resource)
        else:
            self._push(value, kind, file, pointer, resource=part.resource)

    # -- references ------------------------------------------------------------------------------

    def _reference(self, part: _Part, holder: dict[str, JSON], key: str, pointer: str = "") -> None:
        """Leads the reference `key` of `holder` inside, and goes on with what it leads to.

        What is outside or not there is unread at `pointer`, or else at the part's.
        """
        reference = str(holder[key])
        kind: Kind = "operation" if key == "operationRef" else part.kind
        try:
            place, names, value = self._target(reference, part.file)
        except Outside as error:
            inside = reference.startswith("#")
            # In the root, and inside a resource, it is for the reader to find it dangling.
            if part.resource or (inside and part.file == self._root):
                return
            self.unread.setdefault(pointer or part.pointer, str(error.args[0]))
            if inside:
                # Another file's own reference must not be taken for the root's.
                holder[key] = self._prefix(part.file) + "/" + reference[1:].removeprefix("/")
            return
        where = join(self._prefix(place.file), *names)
        if not part.resource and not (part.file == self._root and reference.startswith("#")):
            holder[key] = where
        self._push(value, kind, place.file, where)

    def _target(self, reference: str, file: str) -> tuple[Place, tuple[str, ...], JSON]:
        uri, mark, fragment = reference.partition("#")
        if self._itself and uri:
            if uri != self._itself:
                raise Outside("reference-remote")
            place = Place(self._root, fragment if mark else "")
        else:
            place = place_of(reference, file)
        value = self._files.text(place.file).value
        if not self._is_of_version(value):
            raise Outside("reference-unreadable:openapi-version")
        names = place.names
        if names is None:
            names = path_of_anchor(value, place.fragment)
        return place, names, at(value, names)

    def _is_of_version(self, document: JSON) -> bool:
        """Whether another file is a description of the same version, or says no version at all."""
        if not isinstance(document, dict):
            return True
        root = self._files.text(self._root).value
        return all(
            name not in document or _family(document, name) == _family(root, name)
            for name in ("openapi", "swagger")
        )

    def _prefix(self, file: str) -> str:
        return "#" if file == self._root else join("#", FILES_KEY, file)

    def _mapping(self, part: _Part) -> None:
        """The values of a discriminator's mapping that are ways to schemas."""
        discriminator = part.value["discriminator"]
        mapping = discriminator.get("mapping") if isinstance(discriminator, dict) else None
        if not isinstance(mapping, dict):
            return
        for name, value in mapping.items():
            if _is_way(value) or (isinstance(value, str) and value.startswith("#")):
                self._reference(part, mapping, name, join(part.pointer, "discriminator"))

    # -- what is no reference by the specification -----------------------------------------------

    def _settled(
        self, holder: dict[str, JSON], name: str, file: str, pointer: str
    ) -> tuple[JSON, str, str]:
        """The value of `name`, its file and pointer; if it is a reference, what that leads to.

        Then that is put in its place: it is a map of things, or of a kind that the specification
        has no reference for.
        """
        value, where = holder[name], pointer
        for _ in range(_CHAIN):
            reference = value.get("$ref") if isinstance(value, dict) else None
            if not isinstance(reference, str):
                break
            try:
                place, names, value = self._target(reference, file)
            except Outside as error:
                self.unread.setdefault(pointer, str(error.args[0]))
                return None, file, pointer
            file, where = place.file, join(self._prefix(place.file), *names)
        else:
            self.unread.setdefault(pointer, "reference-cycle")
            return None, file, pointer
        if where != pointer:
            holder[name] = value
            self.moved[pointer] = where
        return value, file, where


def _family(document: JSON, name: str) -> str:
    version = document.get(name) if isinstance(document, dict) else None
    return version[:3] if isinstance(version, str) else ""


def leads_outside(root: Mapping[str, JSON]) -> bool:
    """Whether anything in a document may be a reference to another file; quick, and no proof.

    False says that there is none. What only looks like one, in an example, makes it true.
    """
    fields = [root, root.get("components")]
    maps = [each for field in fields if isinstance(field, dict) for each in field.values()]
    if any(isinstance(each, dict) and type(each.get("$ref")) is str for each in maps):
        return True
    if _is_plainly_whole(root):
        return False
    waiting: list[JSON] = [root]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if "$ref" in value and _outside(value["$ref"]):
                return True
            if "operationRef" in value and _outside(value["operationRef"]):
                return True
            mapping = value.get("mapping")
            if isinstance(mapping, dict) and any(map(_is_way, mapping.values())):
                return True
            waiting += [each for each in value.values() if type(each) in _CONTAINERS]
        elif isinstance(value, list):
            waiting += [each for each in value if type(each) in _CONTAINERS]
    return False


def _is_plainly_whole(root: Mapping[str, JSON]) -> bool:
    """Whether all that is written in the way of a reference leads into the document itself."""
    try:
        text = msgspec.json.encode(root)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return False
    return (
        b'"operationRef":' not in text
        and text.count(b'"mapping":{') == len(_INNER_MAPPING.findall(text))
        and text.count(b'"$ref":"') == text.count(b'"$ref":"#')
    )


def _outside(reference: JSON) -> bool:
    return isinstance(reference, str) and not reference.startswith("#")


def _is_way(named: JSON) -> bool:
    """Whether a mapping's value is a way to another file, and no schema's name."""
    return isinstance(named, str) and _outside(named) and any(each in named for each in _WAYS)
