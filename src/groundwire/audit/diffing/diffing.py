"""Diffing: two versions of one file as a comparison, with what could not be read said in it."""

from __future__ import annotations

from typing import Final

import msgspec

from groundwire.audit.diffing.declaring import Declarations
from groundwire.audit.diffing.trees import Tree
from groundwire.authority.artifacts.contents import kinds_by_content
from groundwire.contracts.changes import Change, Where
from groundwire.contracts.collecting import uncollected
from groundwire.contracts.comparison import Comparison
from groundwire.contracts.detecting import Kind, detect
from groundwire.contracts.openapi.options import Options
from groundwire.contracts.port import BOTH, Source, compare, naming
from groundwire.contracts.reading.text import read
from groundwire.contracts.reading.unreadable import Unreadable
from groundwire.contracts.readings import Readings
from groundwire.contracts.schema_files import NOT_COMPARED
from groundwire.contracts.verdict import Direction
from groundwire.errors import HostError

COMPARED: Final[frozenset[str]] = frozenset({"openapi", "json-schema"})


class Place(msgspec.Struct, frozen=True):
    """A file in a tree. `said` is what it is called, where that is not its path there."""

    tree: Tree
    path: str
    said: str = ""

    @property
    def label(self) -> str:
        """What it is called, for people."""
        if self.said:
            return self.said
        return f"{self.tree.label}:{self.path}" if self.tree.label else self.path

    def content(self) -> bytes:
        """Its bytes.

        Raises:
            HostError: as `Tree.read`; `missing-description`.
        """
        data = self.tree.read(self.path)
        if data is None:
            raise HostError("missing-description", f"There is no file {self.label}.")
        return data


class Differ(msgspec.Struct, frozen=True, kw_only=True):
    """How files are compared. `other` is what a file is held for that no kind is told of."""

    options: Options
    declared: Declarations
    directions: tuple[Direction, ...] = BOTH
    other: Kind | None = None

    def diff(self, before: Place | None, after: Place | None, path: str = "") -> Comparison:
        """The comparison of two versions of a file; None where there was or is none.

        `path` is what waivers know the file by, where that is not its path in the tree.
        """
        # What was read is gone again before anything is collected.
        with uncollected():
            return self._diffed(before, after, path)

    def _diffed(self, before: Place | None, after: Place | None, path: str) -> Comparison:
        here = after or before
        found = Comparison(
            path=path or (here.path if here else ""),
            kind=None,
            before=before.label if before else "",
            after=after.label if after else "",
        )
        try:
            readings = Readings()
            places = tuple(each for each in (before, after) if each)
            kind = kind_of(*places, readings=readings) or self.other
            if kind is None:
                return found
            if kind not in COMPARED:
                return msgspec.structs.replace(found, changes=(_not_compared(here, kind),))
            compared = compare(
                "openapi" if kind == "openapi" else "json-schema",
                _source(before),
                _source(after),
                self.options,
                self.directions,
                readings,
            )
        except (Unreadable, HostError) as error:
            return msgspec.structs.replace(found, unreadable=error.message, reason=error.reason)
        return self.declared.apply(
            msgspec.structs.replace(
                found,
                kind="openapi" if kind == "openapi" else "json-schema",
                changes=compared.changes,
            ),
            compared.versions,
        )


def kind_of(*places: Place, readings: Readings | None = None) -> str | None:
    """The kind of contract that the versions of a file are; None where they are none.

    Raises:
        Unreadable: one is no JSON or YAML but is meant as a contract; `kind-differs`.
        HostError: as `Place.content`.
    """
    found: dict[str, Place] = {}
    unread: list[tuple[Place, bytes]] = []
    for place in places:
        content = place.content()
        kind = detect(place.path, content, readings)
        if kind is not None:
            found[kind] = place
            continue
        _demand_size(place, content)
        if others := sorted(kinds_by_content(content)):
            unread.append((place, content))
            if not COMPARED & set(others):
                found[others[0]] = place
    if len(found) > 1:
        raise Unreadable(
            "kind-differs", f"The two versions are of different kinds: {', '.join(sorted(found))}."
        )
    if not found:
        for place, content in unread:
            with naming(place.label):
                read(content, place.path)
    return next(iter(found), None)


def _demand_size(place: Place, content: bytes) -> None:
    """It is not too large to be read, which nobody else asks before reading it.

    Raises:
        Unreadable: `too-large`.
    """
    try:
        with naming(place.label):
            read(content, place.path)
    except Unreadable as error:
        if error.reason == "too-large":
            raise


def _not_compared(place: Place | None, kind: str) -> Change:
    return Change(
        rule=NOT_COMPARED,
        grade="undecided",
        says=f"no engine compares contracts of the kind {kind} yet",
        after=Where(place.path, "") if place else None,
        reason="engine-missing",
    )


def _source(place: Place | None) -> Source | None:
    return Source(place.path, place.tree.read, place.label) if place else None
