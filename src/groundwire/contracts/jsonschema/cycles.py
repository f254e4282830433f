"""References that lead back to themselves while still speaking of the same value."""

from __future__ import annotations

from typing import TypeAlias

from groundwire.contracts.jsonschema.graph import (
    PARADOX,
    All,
    Graph,
    Lit,
    One,
    Opaque,
    Ref,
)

# How many references that may be on a cycle are followed each by itself.
MAX_FOLLOWED = 300
# A reference, and whether it is met as it stands or denied.
_Signed: TypeAlias = tuple[int, bool]


class Cycles:
    """Finds such references as a graph grows, and makes them opaque.

    The standard gives them no meaning. One that says of a value that it does not hold to itself is
    a paradox: nobody's judgement of it counts.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._next: dict[int, frozenset[_Signed]] = {}

    def cut(self) -> None:
        """References that were compiled since the last time are looked at, and cut where needed.

        All that they refer to must be compiled too: no cycle can close later.
        """
        graph = self._graph
        fresh = [number for number in graph.targets if number not in self._next]
        for number in fresh:
            self._next[number] = _in_place(graph, graph.targets[number])
        suspects = self._suspects(fresh)
        back = {number: self._comes_back(number) for number in suspects[:MAX_FOLLOWED]}
        # Of more than that, each is taken for the worst that it can be.
        back |= {number: {True, False} for number in suspects[MAX_FOLLOWED:]}
        for number, signs in back.items():
            if signs:
                node = graph.nodes[number]
                place = node.place if isinstance(node, Ref) else ""
                written = back.get(graph.twins.get(number, number), set())
                reason = PARADOX if False in signs | written else "reference-cycle"
                graph.targets[number] = graph.node(Opaque(reason, place))

    def _suspects(self, fresh: list[int]) -> list[int]:
        """Those of which each leads on to another: the others are on no cycle."""
        left = {number: {other for other, _ in self._next[number]} for number in fresh}
        before: dict[int, list[int]] = {}
        for number, others in left.items():
            for other in others:
                before.setdefault(other, []).append(number)
        done = [number for number in self._next if number not in left or not left[number]]
        while done:
            number = done.pop()
            for other in before.get(number, ()):
                if other in left and number in left[other]:
                    left[other].discard(number)
                    if not left[other]:
                        done.append(other)
        return [number for number in fresh if left[number]]

    def _comes_back(self, start: int) -> set[bool]:
        """The signs with which `start` is met again on the way from it."""
        seen: set[_Signed] = set()
        waiting = list(self._next[start])
        while waiting:
            number, sign = waiting.pop()
            if (number, sign) in seen:
                continue
            seen.add((number, sign))
            if number != start:
                waiting += [(other, of == sign) for other, of in self._next.get(number, ())]
        return {sign for number, sign in seen if number == start}


def _in_place(graph: Graph, start: Lit) -> frozenset[_Signed]:
    """The references that `start` applies to the value itself."""
    found: set[_Signed] = set()
    seen: set[Lit] = set()
    waiting = [start]
    while waiting:
        literal = waiting.pop()
        if literal in seen:
            continue
        seen.add(literal)
        sign = 1 if literal > 0 else -1
        node = graph.of(literal)
        if isinstance(node, Ref):
            found.add((abs(literal), literal > 0))
        elif isinstance(node, All):
            waiting += [sign * part for part in node.parts]
        elif isinstance(node, One):
            waiting += [each * part for part in node.parts for each in (1, -1)]
    return frozenset(found)
