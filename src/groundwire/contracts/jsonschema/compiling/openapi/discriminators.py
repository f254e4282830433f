"""`discriminator`: the property whose value says which schema an object is of.

A key is one that `mapping` gives, or the name of a schema that is referred to; where that schema
lists what the property may be and its name is not among it, those are its keys. Beside `oneOf` or
`anyOf` the property is required, its value is one of the keys, and the object is of that key's
schema. On a schema that others are made of by `allOf`, an object may be of any of them: a key that
is known says of which. What an unknown key means there is not known.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.references import (
    Path,
    References,
    Target,
    Unresolved,
)

COMPONENTS: Path = ("components", "schemas")
UNIONS = ("oneOf", "anyOf")


class Kind(msgspec.Struct, frozen=True):
    """What objects whose property is one of `keys` are: of the schema `reference` leads to.

    Without one they are just of the schema that has the discriminator.
    """

    keys: tuple[str, ...]
    reference: str


class Discriminators:
    """The discriminators of one document."""

    def __init__(self, root: JSON, references: References) -> None:
        self._root = root
        self._references = references
        self._children: dict[Path, list[str]] | None = None

    def property_of(self, schema: Mapping[str, JSON]) -> str | None:
        """The name of the property; None where the discriminator is not of a form that is known."""
        found = schema.get("discriminator")
        named = found.get("propertyName") if isinstance(found, Mapping) else None
        return named if isinstance(named, str) else None

    def of_union(
        self, schema: Mapping[str, JSON], keyword: str, resource: Path
    ) -> tuple[Kind, ...] | None:
        """The kinds of a `oneOf` or `anyOf`; None where that cannot be told.

        A branch that is written in place has no key, so it must be for values that are no objects.
        """
        branches = schema.get(keyword)
        if not isinstance(branches, list | tuple) or self.property_of(schema) is None:
            return None
        references: list[str] = []
        for branch in branches:
            reference = branch.get("$ref") if isinstance(branch, Mapping) else None
            if isinstance(reference, str):
                references.append(reference)
            elif not _is_never_an_object(branch):
                return None
        return self._kinds(schema, references, resource) if references else None

    def of_base(
        self, schema: Mapping[str, JSON], path: Path, resource: Path
    ) -> tuple[Kind, ...] | None:
        """The kinds of a schema without a union: what is made of it by `allOf`."""
        if self.property_of(schema) is None or any(each in schema for each in UNIONS):
            return None
        made = ["#/components/schemas/" + escaped(name) for name in self.children(path)]
        kinds = self._kinds(schema, made, resource)
        if kinds is None:
            return None
        own = [kind for kind in kinds if self._leads_to(kind.reference, path, resource)]
        keys = {key for kind in own for key in kind.keys} | set(path[-1:])
        others = [kind for kind in kinds if kind not in own]
        keys -= {key for kind in others for key in kind.keys}
        return (*others, Kind(tuple(sorted(keys)), ""))

    def children(self, path: Path) -> list[str]:
        """The names of the components that are made of the schema at `path`, sorted."""
        if self._children is None:
            self._children = self._read_children()
        found: set[str] = set()
        waiting = [path]
        while waiting:
            for name in self._children.get(waiting.pop(), ()):
                if name not in found:
                    found.add(name)
                    waiting.append((*COMPONENTS, name))
        return sorted(found)

    def _read_children(self) -> dict[Path, list[str]]:
        found: dict[Path, list[str]] = {}
        for name, schema in sorted(self._components().items()):
            parts = schema.get("allOf") if isinstance(schema, Mapping) else None
            for part in parts if isinstance(parts, list | tuple) else ():
                reference = part.get("$ref") if isinstance(part, Mapping) else None
                if isinstance(reference, str):
                    target = self._target(reference, ())
                    if target is not None:
                        found.setdefault(target.path, []).append(name)
        return found

    def _components(self) -> Mapping[str, JSON]:
        value = self._root
        for step in COMPONENTS:
            value = value.get(step) if isinstance(value, Mapping) else None
        return value if isinstance(value, Mapping) else {}

    def _leads_to(self, reference: str, path: Path, resource: Path) -> bool:
        target = self._target(reference, resource)
        return target is not None and target.path == path

    def _target(self, reference: str, resource: Path) -> Target | None:
        try:
            return self._references.resolve(reference, resource)
        except Unresolved:
            return None

    def _kinds(
        self, schema: Mapping[str, JSON], references: list[str], resource: Path
    ) -> tuple[Kind, ...] | None:
        keys: dict[str, str] = {}
        for reference in references:
            target = self._target(reference, resource)
            if target is None or not target.path:
                return None
            name = target.path[-1]
            listed = _listed(target.schema, self.property_of(schema))
            for key in [name] if listed is None or name in listed else listed:
                keys[key] = reference
        found = schema.get("discriminator")
        mapping = found.get("mapping", {}) if isinstance(found, Mapping) else {}
        if not isinstance(mapping, Mapping):
            return None
        for key, value in mapping.items():
            if not isinstance(value, str):
                return None
            keys[key] = self._mapped(value)
        by_reference: dict[str, list[str]] = {}
        for key, reference in sorted(keys.items()):
            by_reference.setdefault(reference, []).append(key)
        return tuple(Kind(tuple(keys), reference) for reference, keys in by_reference.items())

    def _mapped(self, value: str) -> str:
        """The reference that a value of a mapping is: the name of a component goes first."""
        is_name = value in self._components()
        return f"#/components/schemas/{escaped(value)}" if is_name else value


def escaped(name: str) -> str:
    """A name as a step of a pointer."""
    return name.replace("~", "~0").replace("/", "~1").replace("%", "%25")


def _listed(schema: JSON, name: str | None) -> list[str] | None:
    """The texts that a property may be, by the schema or what it is `allOf`; None for any."""
    if not isinstance(schema, Mapping):
        return None
    parts = schema.get("allOf")
    for each in (schema, *(parts if isinstance(parts, list | tuple) else ())):
        members = each.get("properties") if isinstance(each, Mapping) else None
        member = members.get(name) if isinstance(members, Mapping) else None
        if not isinstance(member, Mapping):
            continue
        values = member.get("enum", [member["const"]] if "const" in member else None)
        if isinstance(values, list | tuple):
            return [value for value in values if isinstance(value, str)]
    return None


def _is_never_an_object(branch: JSON) -> bool:
    kind = branch.get("type") if isinstance(branch, Mapping) else None
    if isinstance(kind, list | tuple):
        return "object" not in kind
    return isinstance(kind, str) and kind != "object"
