"""The independent judge of witnesses: another implementation, on the documents as they stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import jsonschema_rs

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.openapi.marks import MARKS, Marks
from groundwire.contracts.jsonschema.compiling.openapi.projecting import Projection
from groundwire.contracts.jsonschema.compiling.references import Path, Target, Unresolved
from groundwire.contracts.jsonschema.compiling.schemas import Document
from groundwire.contracts.jsonschema.refusing import Origin, Refusal, as_it_stands, refusals_of
from groundwire.contracts.verdict import Direction

_VALIDATORS: Mapping[str, type[jsonschema_rs.Validator]] = {
    "draft-4": jsonschema_rs.Draft4Validator,
    "draft-6": jsonschema_rs.Draft6Validator,
    "draft-7": jsonschema_rs.Draft7Validator,
    "2019-09": jsonschema_rs.Draft201909Validator,
    "2020-12": jsonschema_rs.Draft202012Validator,
    "openapi-3.0": jsonschema_rs.Draft4Validator,
}
_DRAFTS: Mapping[str, int] = {
    "draft-4": jsonschema_rs.Draft4,
    "draft-6": jsonschema_rs.Draft6,
    "draft-7": jsonschema_rs.Draft7,
    "2019-09": jsonschema_rs.Draft201909,
    "2020-12": jsonschema_rs.Draft202012,
    "openapi-3.0": jsonschema_rs.Draft4,
}
# So many schemas are in all validators that are kept of one document and direction; each takes some
# 10 kB.
MAX_KEPT = 5_000
# What the document is called where one of its parts is judged.
_HERE = "urn:groundwire:document"

_CANNOT_TELL = (
    ValueError,
    Unresolved,
    jsonschema_rs.ValidationError,
    jsonschema_rs.ReferencingError,
)


class Judge:
    """Says of values whether the schema at one place of a document accepts them."""

    def __init__(self, judges: Judges, target: Target) -> None:
        self._judges = judges
        self._target = target

    def accepts(self, value: JSON) -> bool | None:
        """Whether the schema accepts `value`; None where the judge cannot tell."""
        try:
            return self._judges.validator(self._target).is_valid(value)
        except _CANNOT_TELL:
            return None

    def refusals(self, value: JSON) -> tuple[Refusal, ...]:
        """Which keywords refuse the value; none where it is accepted or the judge cannot tell."""
        try:
            return refusals_of(
                self._judges.validator(self._target), value, self._judges.origin(self._target)
            )
        except _CANNOT_TELL:
            return ()


class Judges:
    """The judges of one document's schemas, as messages of one direction where that matters."""

    def __init__(
        self,
        document: Document,
        direction: Direction | None = None,
        is_marked: Callable[[Target], bool] = bool,
    ) -> None:
        """`is_marked` says where it makes a difference who sends."""
        self._document = document
        self._direction = direction
        self._is_marked = is_marked
        self._marks: Marks | None = None
        if direction is not None and document.openapi:
            self._marks = Marks(
                document.references, MARKS[direction], ref_alone=document.dialect.ref_alone
            )
        self._projections: dict[Marks | None, Projection] = {}
        self._judges: dict[Path, Judge] = {}
        # What was used last stands last; and of each how many schemas it has in it.
        self._validators: dict[Path, tuple[jsonschema_rs.Validator, int]] = {}
        self._weight = 0
        self.read = 0
        """How many schemas validators were made of so far, each as often as it was read."""
        self._read: JSON = None
        self._registry: jsonschema_rs.Registry | None = None

    def at(self, target: Target) -> Judge:
        """The judge of the schema at `target`."""
        found = self._judges.get(target.path)
        if found is None:
            found = self._judges[target.path] = Judge(self, target)
        return found

    def validator(self, target: Target) -> jsonschema_rs.Validator:
        """The validator of the schema at `target`, in the document as it stands.

        Each holds all that its schema refers to; so only those are kept that were used last.
        """
        kept = self._validators.pop(target.path, None)
        if kept is None:
            kept = self._made(target)
            self._weight += kept[1]
            self.read += kept[1]
        while self._validators and self._weight > MAX_KEPT:
            self._weight -= self._validators.pop(next(iter(self._validators)))[1]
        self._validators[target.path] = kept
        return kept[0]

    def _made(self, target: Target) -> tuple[jsonschema_rs.Validator, int]:
        """The validator, and how many schemas are in it."""
        if self._document.openapi:
            return self._of_openapi(target)
        if self._read is None:
            self._read = self._prepared()
        dialect = self._document.dialect.name
        formats = self._document.formats
        if not target.path:
            schema = dict(self._read) if isinstance(self._read, Mapping) else self._read is True
            return _VALIDATORS[dialect](schema, validate_formats=formats, offline=True), 1
        if self._registry is None:
            self._registry = _registry(self._read, _DRAFTS[dialect])
        steps = (step.replace("~", "~0").replace("/", "~1") for step in target.path)
        pointer = "/".join(("#", *(_percent(step) for step in steps)))
        validator = _VALIDATORS[dialect](
            {"$ref": f"{_HERE}{pointer}"},
            validate_formats=formats,
            registry=self._registry,
            offline=True,
        )
        return validator, 1

    def origin(self, target: Target) -> Origin:
        """Leads from what the validator of `target` reads to the document."""
        return self._projection(target).origin if self._document.openapi else as_it_stands

    def _of_openapi(self, target: Target) -> tuple[jsonschema_rs.Validator, int]:
        """The validator of the schema at `target`, once what OpenAPI says of it is spelt out."""
        document, projection = self._document, self._projection(target)
        schema = projection.of(target)
        validator = _VALIDATORS[document.dialect.name](
            schema, validate_formats=document.formats, offline=True
        )
        definitions = schema["definitions"]
        return validator, len(definitions) if isinstance(definitions, dict) else 1

    def _projection(self, target: Target) -> Projection:
        document = self._document
        marks = self._marks if self._is_marked(target) else None
        if marks not in self._projections:
            sends = (self._direction == "accepts") == (document.side == "old")
            self._projections[marks] = Projection(
                document.root, document.references, document.dialect, marks, sends=sends
            )
        return self._projections[marks]

    def _prepared(self) -> JSON:
        root = self._document.root
        if self._document.dialect.name == "openapi-3.0":
            root = _as_draft_4(root)
        if isinstance(root, Mapping):
            return {name: each for name, each in root.items() if name != "$schema"}
        return root


def _registry(root: JSON, draft: int) -> jsonschema_rs.Registry:
    found = dict(root) if isinstance(root, Mapping) else {}
    return jsonschema_rs.Registry([(_HERE, found)], draft=draft)


def _percent(step: str) -> str:
    """A step of a pointer as a fragment holds it."""
    plain = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
    return "".join(
        sign if sign in plain else "".join(f"%{byte:02X}" for byte in sign.encode())
        for sign in step
    )


_NOT_IN_OPENAPI = frozenset({"patternProperties", "additionalItems", "dependencies", "id"})
_DATA = frozenset({"enum", "default", "example"})


def _as_draft_4(schema: JSON) -> JSON:
    """`nullable` as draft 4 says it, without keywords that only draft 4 has.

    What needs no change is the very same object, not a copy.
    """
    if isinstance(schema, list | tuple):
        items = [_as_draft_4(each) for each in schema]
        same = all(new is old for new, old in zip(items, schema, strict=True))
        return schema if same else items
    if not isinstance(schema, dict):
        return schema
    found: dict[str, JSON] = {}
    for name, value in schema.items():
        if name in _DATA:
            found[name] = value
        elif name == "properties" and isinstance(value, dict):
            members = {key: _as_draft_4(each) for key, each in value.items()}
            same = all(new is value[key] for key, new in members.items())
            found[name] = value if same else members
        elif name not in _NOT_IN_OPENAPI:
            found[name] = _as_draft_4(value)
    kind = schema.get("type")
    if schema.get("nullable") is True and isinstance(kind, str) and kind != "null":
        found["type"] = [kind, "null"]
    same = found.keys() == schema.keys() and all(found[name] is schema[name] for name in found)
    return schema if same else found
