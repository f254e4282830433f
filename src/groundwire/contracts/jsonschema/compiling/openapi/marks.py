"""Properties that are not sent: `readOnly` ones by those who ask, `writeOnly` ones by who answers.

A marked property is no part of the message: who sends it leaves it out, whether it is required or
not, and who reads does not look at it. The mark counts where it stands on the property's schema or
on one that this refers to or is `allOf`; and for all that is said of the same object. It does not
count under `not` and `if`, nor where it stands on anything but a property.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.references import Path, References, Unresolved
from groundwire.contracts.verdict import Direction

Mark: TypeAlias = Literal["readOnly", "writeOnly"]
MARKS: Mapping[Direction, Mark] = {"accepts": "readOnly", "produces": "writeOnly"}
_EVERY = ("allOf",)
_SOME = ("allOf", "anyOf", "oneOf")
_ALONE = ("then", "else")
_NONE: frozenset[str] = frozenset()


class Marks:
    """The properties of one document's schemas that carry one mark."""

    def __init__(self, references: References, mark: Mark, *, ref_alone: bool) -> None:
        self._references = references
        self._mark = mark
        self._ref_alone = ref_alone
        self._hidden: dict[Path, frozenset[str]] = {}
        self._wanted: dict[Path, frozenset[str]] = {}

    def hidden(self, schema: JSON, path: Path, resource: Path) -> frozenset[str]:
        """The names of marked properties, of the schema at `path` and all that hold with it."""
        known = self._hidden.get(path)
        if known is None:
            found: set[str] = set()
            for each, _, within in self._joined(schema, path, resource, _EVERY, ()):
                members = each.get("properties")
                if isinstance(members, Mapping):
                    found.update(
                        name
                        for name, member in members.items()
                        if self._is_marked(member, (*path, "properties", name), within)
                    )
            known = self._hidden[path] = frozenset(found) or _NONE
        return known

    def wanted(self, schema: JSON, path: Path, resource: Path) -> frozenset[str]:
        """The names that the schema at `path`, or what may hold with it, requires."""
        known = self._wanted.get(path)
        if known is None:
            found: set[str] = set()
            for each, _, _ in self._joined(schema, path, resource, _SOME, _ALONE):
                names = each.get("required")
                if isinstance(names, list | tuple):
                    found.update(name for name in names if isinstance(name, str))
            known = self._wanted[path] = frozenset(found) or _NONE
        return known

    def passed_on(
        self, hidden: frozenset[str], schema: JSON, path: Path, resource: Path
    ) -> frozenset[str]:
        """Those of the names hidden beside a reference that count in what it leads to."""
        if not hidden:
            return _NONE
        wanted = hidden & self.wanted(schema, path, resource)
        return wanted - self.hidden(schema, path, resource) if wanted else _NONE

    def _is_marked(self, schema: JSON, path: Path, resource: Path) -> bool:
        return any(
            each.get(self._mark) is True
            for each, _, _ in self._joined(schema, path, resource, _EVERY, ())
        )

    def _joined(
        self,
        schema: JSON,
        path: Path,
        resource: Path,
        lists: Sequence[str],
        alone: Sequence[str],
    ) -> Iterator[tuple[Mapping[str, JSON], Path, Path]]:
        """The schema and those that are applied to the same value by these keywords."""
        waiting = [(schema, path, resource)]
        seen: set[Path] = set()
        while waiting:
            each, at, within = waiting.pop()
            if not isinstance(each, Mapping) or at in seen:
                continue
            seen.add(at)
            reference = each.get("$ref")
            if isinstance(reference, str):
                try:
                    target = self._references.resolve(reference, within)
                except Unresolved:
                    pass
                else:
                    waiting.append((target.schema, target.path, target.resource))
                if self._ref_alone:
                    continue
            yield each, at, within
            for keyword in lists:
                parts = each.get(keyword)
                if isinstance(parts, list | tuple):
                    waiting += [
                        (part, (*at, keyword, str(index)), within)
                        for index, part in enumerate(parts)
                    ]
            waiting += [(each[name], (*at, name), within) for name in alone if name in each]
