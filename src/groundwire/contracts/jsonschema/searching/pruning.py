"""Unions made smaller before they are taken apart: what cannot meet the rest drops out."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeAlias

from groundwire.contracts.jsonschema.answers import (
    Answer,
    Empty,
    Found,
    Goal,
    Tally,
    goal_of,
)
from groundwire.contracts.jsonschema.graph import All, Graph, Lit, One, Ref

# Either the answer, or the goal that has the same answers and is smaller.
_Pruned: TypeAlias = Generator[Goal, Answer, Answer | Goal]


def prune(graph: Graph, goal: Goal) -> _Pruned:
    """The goal without those parts of unions that nothing which holds to the rest can meet.

    A part is dropped only where that was proven for good: an answer that leans on goals still
    being asked is no ground to drop a demand.
    """
    literals = _opened(graph, goal)
    if literals is None:
        return Empty()
    ones = [each for each in literals if isinstance(graph.of(each), One)]
    held = [each for each in literals if each > 0 and each not in ones]
    denied = [each for each in literals if each < 0 and _is_schema(graph, each)]
    not_ones = [each for each in ones if each < 0]
    if len(denied) < 2 and not not_ones:
        return goal
    unions = (each for each in literals if _is_union(graph, each) or (each > 0 and each in ones))
    union = next(unions, None)
    if union is not None:
        return (yield from _split(graph, literals, union))
    for each in not_ones if held else ():
        smaller = yield from _without_strangers(graph, held, each)
        if smaller != each:
            literals = [smaller if other == each else other for other in literals]
            return _whole(graph, literals)
    if held and len(denied) > 1:
        return (yield from _without_far_denials(graph, goal, literals, held, denied))
    return goal


def _whole(graph: Graph, literals: list[Lit]) -> Answer | Goal:
    found = goal_of(graph, literals)
    return Empty() if found is None else found


def _opened(graph: Graph, goal: Goal) -> list[Lit] | None:
    """The goal with references to unions, and to what is all of several things, followed."""
    found: list[Lit] = []
    waiting = list(reversed(goal))
    followed: set[Lit] = set()
    while waiting:
        literal = waiting.pop()
        node = graph.of(literal)
        if isinstance(node, Ref) and literal not in followed:
            target = graph.targets[abs(literal)] * (1 if literal > 0 else -1)
            if _is_union(graph, target) or isinstance(graph.of(target), One | Ref):
                followed.add(literal)
                waiting.append(target)
                continue
            if target > 0 and _all_negative(graph, target):
                followed.add(literal)
                waiting.append(target)
                continue
        if literal > 0 and _all_negative(graph, literal) and isinstance(node, All):
            waiting += reversed(node.parts)
            continue
        found.append(literal)
    opened = sorted(set(found))
    return None if any(-each in opened for each in opened) else opened


def _all_negative(graph: Graph, literal: Lit) -> bool:
    node = graph.of(literal)
    return isinstance(node, All) and bool(node.parts) and all(part < 0 for part in node.parts)


def _is_union(graph: Graph, literal: Lit) -> bool:
    """Any of several schemas: the denial of denials of all."""
    node = graph.of(literal)
    return (
        literal < 0
        and _all_negative(graph, literal)
        and isinstance(node, All)
        and (len(node.parts) > 1)
    )


def _is_schema(graph: Graph, literal: Lit) -> bool:
    """A conjunction of several demands, or a reference to one."""
    node = graph.of(literal)
    if isinstance(node, Ref):
        node = graph.of(graph.targets[abs(literal)])
    return isinstance(node, All) and len(node.parts) > 1 and any(part > 0 for part in node.parts)


def _split(graph: Graph, literals: list[Lit], union: Lit) -> Generator[Goal, Answer, Answer]:
    tally = Tally()
    rest = [each for each in literals if each != union]
    node = graph.of(union)
    parts = node.parts if isinstance(node, All | One) else ()
    for index, part in enumerate(parts):
        others = [-other for at, other in enumerate(parts) if at != index]
        way = [part, *others] if isinstance(node, One) else [-part]
        goal = goal_of(graph, [*rest, *way])
        if goal is None:
            continue
        answer = yield goal
        if isinstance(answer, Found):
            return answer
        tally.add(answer)
    return tally.result()


def _without_strangers(graph: Graph, held: list[Lit], one: Lit) -> Generator[Goal, Answer, Lit]:
    """`one` without the parts that nothing which holds to `held` can meet."""
    node = graph.of(one)
    parts = node.parts if isinstance(node, One) else ()
    live: list[Lit] = []
    for part in parts:
        goal = goal_of(graph, [*held, part])
        answer = Empty() if goal is None else (yield goal)
        if answer != Empty():
            live.append(part)
    if len(live) == len(parts):
        return one
    smaller = graph.one(live)
    return smaller if one > 0 else -smaller


def _without_far_denials(
    graph: Graph, goal: Goal, literals: list[Lit], held: list[Lit], denied: list[Lit]
) -> _Pruned:
    """A denial of what nothing here is goes. Of the others, one that leaves nothing decides."""
    far: set[Lit] = set()
    for each in denied:
        together = goal_of(graph, [*held, -each])
        answer = Empty() if together is None else (yield together)
        if answer == Empty():
            far.add(each)
            continue
        alone = goal_of(graph, [*held, each])
        answer = Empty() if alone is None else (yield alone)
        if isinstance(answer, Empty):
            return answer
    if not far:
        return goal
    return _whole(graph, [each for each in literals if each not in far])
