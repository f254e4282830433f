"""A goal for values of one type, taken apart into conjunctions of atoms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import TypeAlias

from groundwire.contracts.jsonschema.answers import Branch, Goal
from groundwire.contracts.jsonschema.graph import (
    All,
    Atom,
    Enum,
    Graph,
    Lit,
    One,
    Opaque,
    Ref,
)
from groundwire.contracts.jsonschema.values import Type

_Ways: TypeAlias = list[tuple[Lit, ...]]


def branches(graph: Graph, goal: Goal, kind: Type, tick: Callable[[], None]) -> Iterator[Branch]:
    """Each conjunction of atoms that makes every literal of `goal` true of a value of `kind`.

    Together they are all there are; conjunctions that contradict themselves are left out, as far
    as that shows in the literals. `tick` is called for the work that is done, and ends it by
    raising.
    """
    waiting = [_Partial(graph, kind)]
    waiting[0].todo = list(goal)
    while waiting:
        partial = waiting.pop()
        tick()
        if not partial.settle():
            continue
        if not partial.open:
            yield partial.branch()
            continue
        for _ in range(partial.size() // 16):
            tick()
        # The choice with the fewest ways first; it is stable, so the same on each run.
        chosen = min(partial.open, key=lambda each: len(partial.ways(each)))
        waiting += [partial.with_way(chosen, way) for way in reversed(partial.ways(chosen))]


class _Partial:
    """A conjunction in the making: what holds so far, and the choices that are still open."""

    def __init__(self, graph: Graph, kind: Type) -> None:
        self._graph = graph
        self._kind = kind
        self.todo: list[Lit] = []
        self.open: list[Lit] = []
        self._seen: set[Lit] = set()
        self._implied: set[Lit] = set()

    def with_way(self, chosen: Lit, way: tuple[Lit, ...]) -> _Partial:
        copy = _Partial(self._graph, self._kind)
        copy.todo = list(way)
        copy.open = [each for each in self.open if each != chosen]
        copy._seen = set(self._seen)
        copy._implied = set(self._implied)
        return copy

    def settle(self) -> bool:
        """Take in what is to do, and choices with one way left; False on a contradiction."""
        while True:
            while self.todo:
                if not self._take(self.todo.pop()):
                    return False
            still_open: list[Lit] = []
            for choice in self.open:
                ways = self.ways(choice)
                if not ways:
                    return False
                if any(all(self._holds(part) for part in way) for way in ways):
                    continue
                if len(ways) == 1:
                    self.todo += ways[0]
                else:
                    still_open.append(choice)
            self.open = still_open
            if not self.todo:
                return True

    def _take(self, literal: Lit) -> bool:
        if self._holds(literal):
            return True
        if self._fails(literal):
            return False
        self._seen.add(literal)
        twin = self._graph.twins.get(literal)
        if twin is not None:
            if self._fails(twin):
                return False
            self._implied.add(twin)
        node = self._graph.of(literal)
        if isinstance(node, Ref):
            target = self._graph.targets[abs(literal)]
            self.todo.append(target if literal > 0 else -target)
        elif isinstance(node, All) and literal > 0:
            self.todo += node.parts
        elif isinstance(node, All | One):
            self.open.append(literal)
        return True

    def _holds(self, literal: Lit) -> bool:
        return literal in self._seen or not self._graph.may_be(-literal, self._kind)

    def _fails(self, literal: Lit) -> bool:
        return (
            -literal in self._seen
            or -literal in self._implied
            or not self._graph.may_be(literal, self._kind)
        )

    def size(self) -> int:
        """How much there is to look through."""
        parts = 0
        for choice in self.open:
            node = self._graph.of(choice)
            count = len(node.parts) if isinstance(node, All | One) else 1
            parts += count * count // 2 if isinstance(node, One) and choice < 0 else count
        return parts + len(self._seen)

    def ways(self, choice: Lit) -> _Ways:
        """The ways to make `choice` true that do not contradict what holds."""
        node = self._graph.of(choice)
        parts = node.parts if isinstance(node, All | One) else ()
        ways: _Ways
        if isinstance(node, All):
            # What lies behind a reference later: a witness need not go round a recursion.
            ways = [(-part,) for part in sorted(parts, key=self._refers)]
        elif choice > 0:
            ways = [
                (part, *(-other for at, other in enumerate(parts) if at != index))
                for index, part in enumerate(parts)
            ]
        else:
            ways = [tuple(-part for part in parts), *combinations(parts, 2)]
        return [way for way in ways if not any(self._fails(part) for part in way)]

    def _refers(self, literal: Lit) -> bool:
        node = self._graph.of(literal)
        return isinstance(node, Atom) and isinstance(self._graph.of(node.node), Ref)

    def branch(self) -> Branch:
        atoms: list[tuple[Atom, bool]] = []
        enums: list[tuple[Enum, bool]] = []
        opaque: list[Opaque] = []
        for literal in sorted(self._seen, key=lambda each: (abs(each), each)):
            node = self._graph.of(literal)
            if isinstance(node, Atom):
                atoms.append((node, literal > 0))
            elif isinstance(node, Enum):
                enums.append((node, literal > 0))
            elif isinstance(node, Opaque):
                opaque.append(node)
        return Branch(tuple(atoms), tuple(enums), tuple(opaque))
