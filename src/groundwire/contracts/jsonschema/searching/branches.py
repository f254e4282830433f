"""A goal for values of one type, taken apart into conjunctions of atoms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import TypeAlias

from groundwire.contracts.jsonschema.answers import Branch, Goal
from groundwire.contracts.jsonschema.graph import All, Atom, Enum, Graph, Lit, One, Opaque, Ref
from groundwire.contracts.jsonschema.values import Type

_Way: TypeAlias = tuple[Lit, ...]


class Ways:
    """For each choice and type, the ways to make it true of values of that type."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._known: dict[tuple[Lit, Type], tuple[_Way, ...]] = {}

    def of(self, choice: Lit, kind: Type) -> tuple[_Way, ...]:
        """The ways, each without the parts that every value of `kind` makes true."""
        key = (choice, kind)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._ways(choice, kind)
        return known

    def _ways(self, choice: Lit, kind: Type) -> tuple[_Way, ...]:
        may_be = self.graph.may_be
        return tuple(
            tuple(part for part in way if may_be(-part, kind))
            for way in self._all_ways(choice)
            if all(may_be(part, kind) for part in way)
        )

    def _all_ways(self, choice: Lit) -> Iterator[_Way]:
        node = self.graph.of(choice)
        parts = node.parts if isinstance(node, All | One) else ()
        if isinstance(node, All):
            yield from ((-part,) for part in sorted(parts, key=self._effort))
        elif choice > 0:
            for index, part in enumerate(parts):
                yield (part, *(-other for at, other in enumerate(parts) if at != index))
        else:
            yield tuple(-part for part in parts)
            yield from combinations(parts, 2)

    def _effort(self, literal: Lit) -> int:
        """A member left out first, and what lies behind a reference last.

        So a witness is small, and need not go round a recursion.
        """
        node = self.graph.of(literal)
        if not isinstance(node, Atom):
            return 1
        if isinstance(self.graph.of(node.node), Ref):
            return 2
        return 0 if node.kind == "required" and literal > 0 else 1


def branches(ways: Ways, goal: Goal, kind: Type, tick: Callable[[], None]) -> Iterator[Branch]:
    """Each conjunction of atoms that makes every literal of `goal` true of a value of `kind`.

    Together they are all there are; conjunctions that contradict themselves are left out, as far
    as that shows in the literals. `tick` is called for the work that is done, and ends it by
    raising.
    """
    waiting = [_Partial(ways, kind, list(goal))]
    while waiting:
        partial = waiting.pop()
        tick()
        if not partial.settle():
            continue
        if not partial.open:
            yield partial.branch()
            continue
        for _ in range(partial.looked_at // 64):
            tick()
        # The choice with the fewest ways first; the first of those, so the same on each run.
        chosen, left = min(partial.open, key=lambda each: len(each[1]))
        waiting += [partial.with_way(chosen, way) for way in reversed(left)]


class _Partial:
    """A conjunction in the making: what holds so far, and the choices that are still open."""

    def __init__(self, ways: Ways, kind: Type, todo: list[Lit]) -> None:
        self._ways = ways
        self._graph = ways.graph
        self._kind = kind
        self._todo = todo
        self._choices: list[Lit] = []
        self._seen: set[Lit] = set()
        self._implied: set[Lit] = set()
        # Choices with the ways that are left for each, once it is settled.
        self.open: list[tuple[Lit, list[_Way]]] = []
        # How many parts were looked at to settle it.
        self.looked_at = 0

    def with_way(self, chosen: Lit, way: _Way) -> _Partial:
        copy = _Partial(self._ways, self._kind, list(way))
        copy._choices = [each for each, _ in self.open if each != chosen]
        copy._seen = set(self._seen)
        copy._implied = set(self._implied)
        return copy

    def settle(self) -> bool:
        """Take in what is to do, and choices with one way left; False on a contradiction."""
        while True:
            while self._todo:
                if not self._take(self._todo.pop()):
                    return False
            self.open = []
            for choice in self._choices:
                left = self._left(choice)
                if left is None:
                    continue
                if not left:
                    return False
                if len(left) == 1:
                    self._todo += left[0]
                else:
                    self.open.append((choice, left))
            self._choices = [choice for choice, _ in self.open]
            if not self._todo:
                return True

    def _left(self, choice: Lit) -> list[_Way] | None:
        """The ways that contradict nothing; None where one holds already."""
        left: list[_Way] = []
        seen, implied = self._seen, self._implied
        for way in self._ways.of(choice, self._kind):
            self.looked_at += len(way)
            holds = True
            for part in way:
                if -part in seen or -part in implied:
                    break
                holds = holds and part in seen
            else:
                if holds:
                    return None
                left.append(way)
        return left

    def _take(self, literal: Lit) -> bool:
        if literal in self._seen or not self._graph.may_be(-literal, self._kind):
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
            self._todo.append(target if literal > 0 else -target)
        elif isinstance(node, All) and literal > 0:
            self._todo += node.parts
        elif isinstance(node, All | One):
            self._choices.append(literal)
        return True

    def _fails(self, literal: Lit) -> bool:
        return (
            -literal in self._seen
            or -literal in self._implied
            or not self._graph.may_be(literal, self._kind)
        )

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
