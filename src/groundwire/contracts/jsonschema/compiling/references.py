"""Where a reference leads inside its document. Nothing outside of it is read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec

from groundwire.canon.jcs import JSON

Path: TypeAlias = tuple[str, ...]

# What stands under these is data, not schemas.
_DATA = frozenset({"enum", "const", "default", "example", "examples"})
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")

# A reference in the place of a schema that could not be read, before the code that says why.
UNREAD = "groundwire-unread:"
_UNREAD = re.compile(re.escape(UNREAD) + r"([a-z][a-z0-9-]{0,60})")


class Unresolved(Exception):
    """The reference leads nowhere that is known; `args[0]` is why."""


class Target(msgspec.Struct, frozen=True):
    """The schema a reference leads to, its path from the root, and that of its resource."""

    schema: JSON
    path: Path
    resource: Path


class References:
    """The references of one document."""

    def __init__(self, document: JSON, id_keyword: str) -> None:
        self._document = document
        self._id = id_keyword
        self._index: dict[str, Path] | None = None
        self._anchors: dict[tuple[Path, str], Path] = {}
        self._dynamic: dict[str, int] = {}

    def resolve(self, reference: str, resource: Path) -> Target:
        """Where `reference` leads that stands in the resource at path `resource`.

        Raises:
            Unresolved: `reference-remote`, `reference-dangling`; behind `UNREAD`, what that says.
        """
        unread = unread_reason(reference)
        if unread is not None:
            raise Unresolved(unread)
        uri, _, fragment = reference.partition("#")
        start = resource if not uri else self._resource(uri, resource)
        fragment = _unescaped(fragment)
        if not fragment or fragment.startswith("/"):
            names = fragment.split("/")[1:]
            steps = tuple(each.replace("~1", "/").replace("~0", "~") for each in names)
            return self._walk(start, steps)
        self._read_ids()
        found = self._anchors.get((start, fragment))
        if found is None:
            raise Unresolved("reference-dangling")
        return Target(self._at(found), found, start)

    def resolve_dynamic(self, reference: str, resource: Path) -> Target:
        """Where a `$dynamicRef` leads, where it always leads to the same.

        Raises:
            Unresolved: as `resolve`; `reference-dynamic` where it depends on who refers to it.
        """
        self._read_ids()
        if self._dynamic.get(_unescaped(reference.partition("#")[2]), 0) > 1:
            raise Unresolved("reference-dynamic")
        return self.resolve(reference, resource)

    def is_resource(self, schema: JSON) -> bool:
        """Whether `schema` starts a resource of its own."""
        named = schema.get(self._id) if isinstance(schema, Mapping) else None
        return isinstance(named, str) and named != "" and not named.startswith("#")

    def _resource(self, uri: str, resource: Path) -> Path:
        index = self._read_ids()
        base = next((name for name, path in index.items() if path == resource), "")
        found = index.get(_joined(base, uri))
        if found is None:
            raise Unresolved("reference-remote")
        return found

    def _walk(self, start: Path, steps: Path) -> Target:
        value = self._at(start)
        resource = start
        path = start
        for step in steps:
            if path != start and self.is_resource(value):
                resource = path
            value = _member(value, step)
            path = (*path, step)
        if path != start and self.is_resource(value):
            resource = path
        return Target(value, path, resource)

    def _at(self, path: Path) -> JSON:
        value = self._document
        for step in path:
            value = _member(value, step)
        return value

    def _read_ids(self) -> dict[str, Path]:
        if self._index is not None:
            return self._index
        self._index = {"": ()}
        waiting: list[tuple[JSON, Path, Path, str]] = [(self._document, (), (), "")]
        while waiting:
            value, path, resource, base = waiting.pop()
            if isinstance(value, Mapping):
                if self.is_resource(value):
                    resource, base = path, _joined(base, str(value[self._id]).partition("#")[0])
                    self._index.setdefault(base, path)
                self._read_anchors(value, path, resource)
                members = [(name, each) for name, each in value.items() if name not in _DATA]
            elif isinstance(value, Sequence) and not isinstance(value, str):
                members = [(str(index), each) for index, each in enumerate(value)]
            else:
                continue
            waiting += [(each, (*path, name), resource, base) for name, each in members]
        return self._index

    def _read_anchors(self, schema: Mapping[str, JSON], path: Path, resource: Path) -> None:
        named = schema.get(self._id)
        if isinstance(named, str) and named.startswith("#"):
            self._anchors.setdefault((resource, named[1:]), path)
        for keyword in ("$anchor", "$dynamicAnchor"):
            anchor = schema.get(keyword)
            if isinstance(anchor, str):
                self._anchors.setdefault((resource, anchor), path)
                if keyword == "$dynamicAnchor":
                    self._dynamic[anchor] = self._dynamic.get(anchor, 0) + 1


def unread_reason(reference: JSON) -> str | None:
    """Why the schema could not be read that `reference` stands for; None for other references."""
    found = _UNREAD.fullmatch(reference) if isinstance(reference, str) else None
    return None if found is None else found[1]


def _member(value: JSON, step: str) -> JSON:
    if isinstance(value, Mapping) and step in value:
        return value[step]
    if isinstance(value, Sequence) and not isinstance(value, str) and step.isdecimal():
        index = int(step) if len(step) < 10 else len(value)
        if index < len(value):
            return value[index]
    raise Unresolved("reference-dangling")


def _unescaped(fragment: str) -> str:
    if "%" not in fragment:
        return fragment
    data = re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes([int(m[1], 16)]), fragment.encode())
    return data.decode("utf-8", "replace")


def _joined(base: str, uri: str) -> str:
    """`uri` seen from `base`; dots in paths are not followed."""
    if _SCHEME.match(uri) or not base:
        return uri
    if uri.startswith("/"):
        scheme, _, rest = base.partition("://")
        return f"{scheme}://{rest.partition('/')[0]}{uri}"
    return f"{base.rpartition('/')[0]}/{uri}" if "/" in base else uri
