"""Comparisons of exchanges, with messages that are told of as they stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Change, Content
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.exchanges.comparison import Comparison
from groundwire.contracts.openapi.exchanges.messages import Side
from groundwire.contracts.openapi.finding import Finding, Location, Part
from groundwire.contracts.openapi.options import Options
from groundwire.contracts.openapi.resolving import Resolver
from groundwire.contracts.verdict import Direction
from tests.unit.contracts.openapi.describing import described

OK: JSON = {"200": {"description": "All went well."}}
GET: JSON = {"get": {"responses": OK}}


PLACES: Mapping[str, Location] = {
    "path": "path",
    "query": "query",
    "header": "header",
    "cookie": "cookie",
}


class Literal:
    """Messages of which any difference in what is written is a break, told of by its direction."""

    def __init__(self, old: Description, new: Description) -> None:
        self._sides = Resolver(old), Resolver(new)

    def parameters(
        self,
        old: Sequence[str],
        new: Sequence[str],
        direction: Direction,
        renamed: Mapping[str, str],
    ) -> Iterable[Finding]:
        """Pairs them by place and name, a renamed one by its old name."""
        before = {self._name(0, each, {}): each for each in old}
        after = {self._name(1, each, renamed): each for each in new}
        for key in sorted({*before, *after}):
            one, other = before.get(key, ""), after.get(key, "")
            yield from self._differ("parameter", one, other, direction, ("name",))

    def body(self, old: str, new: str, direction: Direction) -> Iterable[Finding]:
        """As all."""
        return self._differ("body", old, new, direction)

    def content(self, old: str, new: str, direction: Direction) -> Iterable[Finding]:
        """As all, and with a part."""
        part = Part(location="body", name="application/json", value={"of": "content"})
        return self._differ("content", old, new, direction, part=part)

    def headers(self, old: str, new: str, direction: Direction) -> Iterable[Finding]:
        """As all."""
        return self._differ("headers", old, new, direction)

    def sample_parameters(
        self, side: Side, pointers: Sequence[str], direction: Direction
    ) -> tuple[Part, ...]:
        """`1` for each."""
        found = []
        for pointer in pointers:
            members = self._sides[side == "new"].at(pointer).members
            place, name = members["in"], members["name"]
            assert isinstance(name, str)
            location = PLACES[str(place)]
            if members.get("required") is True:
                found.append(Part(location=location, name=name, value=1, fields=((name, "1"),)))
        return tuple(found)

    def sample_headers(self, side: Side, pointer: str, direction: Direction) -> tuple[Part, ...]:
        """None: what is in them is asked of nobody here."""
        return ()

    def sample_content(self, side: Side, pointer: str, direction: Direction) -> Content | None:
        """Which side and direction it is of."""
        return Content("application/json", {"side": side, "direction": direction})

    def _name(self, side: int, pointer: str, renamed: Mapping[str, str]) -> tuple[str, str]:
        members = self._sides[side].at(pointer).members
        place, name = str(members["in"]), str(members["name"])
        return place, renamed.get(name, name) if place == "path" else name

    def _differ(
        self,
        what: str,
        old: str,
        new: str,
        direction: Direction,
        but: tuple[str, ...] = (),
        part: Part | None = None,
    ) -> Iterable[Finding]:
        ends = [
            {
                name: value
                for name, value in (side.at(each).members if each else {}).items()
                if name not in but
            }
            for side, each in zip(self._sides, (old, new), strict=True)
        ]
        if ends[0] != ends[1]:
            yield Finding(
                rule=f"{what}-{direction}",
                grade="breaking",
                says=f"The {what} differs.",
                before=old,
                after=new,
                part=part,
            )


def api(**members: JSON) -> dict[str, JSON]:
    """A description of no paths, but for `members`."""
    return {"openapi": "3.1.0", "paths": {}, **members}


def paths(**named: JSON) -> dict[str, JSON]:
    """A description of paths, each called by a name with `_` for a slash."""
    return api(paths={name.replace("_", "/"): item for name, item in named.items()})


def changes(
    old: Mapping[str, JSON],
    new: Mapping[str, JSON],
    options: Options | None = None,
    unread: tuple[dict[str, str], dict[str, str]] = ({}, {}),
) -> tuple[Change, ...]:
    """What changed."""
    before = described(old, unread[0], "old.json")
    after = described(new, unread[1], "new.json")
    return Comparison(before, after, options or Options(), Literal(before, after)).changes()


def told(
    old: Mapping[str, JSON], new: Mapping[str, JSON], options: Options | None = None
) -> list[tuple[str, str]]:
    """The grade and the rule of each change, gravest first."""
    return [(each.grade, each.rule) for each in changes(old, new, options)]


def only(
    old: Mapping[str, JSON], new: Mapping[str, JSON], options: Options | None = None
) -> Change:
    """The one change that there is."""
    found = changes(old, new, options)
    assert len(found) == 1, found
    return found[0]
