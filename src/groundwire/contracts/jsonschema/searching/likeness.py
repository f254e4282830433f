"""How much schemas are alike, and whether it shows at once that nothing can be of both."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from groundwire.contracts.jsonschema.graph import All, Atom, Enum, Graph, Lit, OfType, Ref
from groundwire.contracts.jsonschema.values import Scalar


class _Outline(msgspec.Struct, frozen=True):
    """What a schema says at first sight: its parts, and the members that must be of a few values."""

    said: frozenset[Lit | str]
    place: str
    required: frozenset[str]
    listed: dict[str, frozenset[Scalar]]


class Likeness:
    """Looks at the schemas of one graph, each once; no question is asked for it.

    All references must be compiled. What it says of likeness is a measure, and decides nothing.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[Lit, _Outline] = {}

    def apart(self, held: Iterable[Lit], other: Lit) -> bool:
        """Whether a member that has to be there has another value in one of `held` than in `other`.

        False is no proof that something is of both.
        """
        theirs = self._outline(other)
        for each in held:
            ours = self._outline(each)
            for name, values in ours.listed.items():
                wanted = theirs.listed.get(name)
                needed = name in ours.required or name in theirs.required
                if needed and wanted is not None and wanted.isdisjoint(values):
                    return True
        return False

    def nearest_first(self, held: Iterable[Lit], others: Iterable[Lit]) -> list[Lit]:
        """`others` by how much they have in common with `held`; the same on each run."""
        outlines = [self._outline(each) for each in held]
        said = frozenset[Lit | str]().union(*(each.said for each in outlines))
        places = {each.place for each in outlines if each.place}

        def order(literal: Lit) -> tuple[bool, int, int]:
            outline = self._outline(literal)
            return outline.place not in places, -len(said & outline.said), abs(literal)

        return sorted(others, key=order)

    def _outline(self, literal: Lit) -> _Outline:
        number = abs(literal)
        if number not in self._known:
            self._known[number] = self._read(number)
        return self._known[number]

    def _read(self, number: Lit) -> _Outline:
        node, place = self._graph.of(number), ""
        if isinstance(node, Ref):
            place = node.place.partition("#")[2]
            node = self._graph.of(self._graph.targets[number])
        said: set[Lit | str] = set()
        required: set[str] = set()
        listed: dict[str, frozenset[Scalar]] = {}
        for part in node.parts if isinstance(node, All) else (number,):
            said.add(self._graph.twins.get(part, part))
            atom = self._graph.of(part)
            if part < 0 or not isinstance(atom, Atom) or not atom.text:
                continue
            said.add(f"{atom.kind} {atom.text}")
            if atom.kind == "required":
                required.add(atom.text)
            elif atom.kind == "property" and (values := self._values(atom.node)) is not None:
                listed[atom.text] = listed.get(atom.text, values) & values
        is_object = self._graph.type("object") in said
        return _Outline(frozenset(said), place, frozenset(required), listed if is_object else {})

    def _values(self, literal: Lit) -> frozenset[Scalar] | None:
        """The values of a schema that lists them; None of another."""
        node = self._graph.of(literal)
        if literal < 0:
            return None
        if isinstance(node, Enum):
            return frozenset(node.values)
        if isinstance(node, All) and all(
            part > 0 and isinstance(self._graph.of(part), Enum | OfType) for part in node.parts
        ):
            lists = [each for part in node.parts if (each := self._values(part)) is not None]
            return frozenset.intersection(*lists) if lists else None
        return None
