"""Unions made smaller before they are taken apart: what cannot meet the rest drops out."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.answers import (
    Answer,
    Empty,
    Found,
    Goal,
    Tally,
    goal_of,
)
from groundwire.contracts.jsonschema.graph import EVERY_TYPE, All, Graph, Lit, One, Ref
from groundwire.contracts.jsonschema.searching.likeness import Likeness

# Either the answer, or the goal that has the same answers and is smaller.
_Pruned: TypeAlias = Generator[Goal, Answer, Answer | Goal]
# Whether a value holds to a literal; None where nobody can tell.
Holds: TypeAlias = Callable[[Lit, JSON], bool | None]


def prune(graph: Graph, goal: Goal, likeness: Likeness, holds: Holds) -> _Pruned:
    """The goal without those parts of unions that nothing which holds to the rest can meet.

    A part is dropped only where that was proven for good: an answer that leans on goals still
    being asked is no ground to drop a demand.
    """
    literals = _narrowed(graph, _opened(graph, goal))
    if literals is None:
        return Empty()
    ones = [each for each in literals if isinstance(graph.of(each), One)]
    alike = _alike(graph, ones)
    if alike is not None:
        return (yield from _apart(graph, literals, *alike))
    respelt = yield from _respelt(graph, literals, ones, likeness)
    if respelt is not None:
        return _whole(graph, respelt)
    held = [each for each in literals if each > 0 and each not in ones]
    denied = [each for each in literals if each < 0 and _is_schema(graph, each)]
    not_ones = [each for each in ones if each < 0]
    shown = _shown(graph, literals)
    if len(denied) < 2 and not not_ones and not any(_is_large_one(graph, each) for each in shown):
        return goal
    for opened in (literals, shown):
        union = next((each for each in opened if _is_choice(graph, each)), None)
        if union is not None:
            return (yield from _split(graph, opened, union))
    for each in not_ones if held else ():
        smaller = yield from _without_strangers(graph, held, each)
        if smaller != each:
            literals = [smaller if other == each else other for other in literals]
            return _whole(graph, literals)
    if held and len(denied) > 1:
        return (yield from _fewer_denials(graph, goal, literals, (held, denied), likeness, holds))
    return goal


def _alike(graph: Graph, ones: list[Lit]) -> tuple[Lit, Lit] | None:
    """One of several schemas that holds, and one that does not and has some of the same."""
    for held in ones:
        for denied in ones:
            if held > 0 > denied and not set(_parts(graph, held)).isdisjoint(_parts(graph, denied)):
                return held, denied
    return None


def _respelt(
    graph: Graph, literals: list[Lit], ones: list[Lit], likeness: Likeness
) -> Generator[Goal, Answer, list[Lit] | None]:
    """The literals, where of a schema of many that is denied some parts say the same as held ones.

    Those are put in the place of them. None where no such part was found, or it was not proven.
    """
    for held in ones:
        for denied in ones:
            if (
                not held > 0 > denied
                or min(len(_parts(graph, held)), len(_parts(graph, denied))) < 3
            ):
                continue
            same: dict[Lit, Lit] = {}
            for part in _parts(graph, denied):
                nearest = likeness.nearest_first([part], _parts(graph, held))[0]
                if (yield from _are_equal(graph, part, nearest)):
                    same[part] = nearest
            if same:
                parts = [same.get(part, part) for part in _parts(graph, denied)]
                other = -graph.one(parts)
                return [other if each == denied else each for each in literals]
    return None


def _are_equal(graph: Graph, one: Lit, other: Lit) -> Generator[Goal, Answer, bool]:
    """Whether nothing holds to one alone; false too where that leans on what is being asked."""
    for here, there in ((one, other), (other, one)):
        goal = goal_of(graph, [here, -there])
        if goal is not None and (yield goal) != Empty():
            return False
    return True


def _parts(graph: Graph, literal: Lit) -> tuple[Lit, ...]:
    node = graph.of(literal)
    return node.parts if isinstance(node, One) else ()


def _apart(
    graph: Graph, literals: list[Lit], held: Lit, denied: Lit
) -> Generator[Goal, Answer, Answer]:
    """Exactly one here and not there: one of what both have, or none of that."""
    shared = [each for each in _parts(graph, held) if each in _parts(graph, denied)]
    here = [each for each in _parts(graph, held) if each not in shared]
    there = [each for each in _parts(graph, denied) if each not in shared]
    rest = [each for each in literals if each not in {held, denied}]
    tally = Tally()
    for way in (
        [graph.one(shared), *(-each for each in here), graph.any(there)],
        [*(-each for each in shared), graph.one(here), -graph.one(there)],
    ):
        goal = goal_of(graph, [*rest, *way])
        if goal is None:
            continue
        answer = yield goal
        if isinstance(answer, Found):
            return answer
        tally.add(answer)
    return tally.result()


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


def _narrowed(graph: Graph, literals: list[Lit] | None) -> list[Lit] | None:
    """Denials of all of several things, without those that no type left can fail."""
    while literals is not None:
        narrowed = _narrowed_once(graph, literals)
        if narrowed is None or narrowed == set(literals):
            return literals if narrowed is not None else None
        literals = _opened(graph, tuple(sorted(narrowed)))
    return None


def _narrowed_once(graph: Graph, literals: list[Lit]) -> set[Lit] | None:
    left = EVERY_TYPE
    for each in literals:
        left &= graph.possible(each)
    if not left:
        return None
    narrowed: set[Lit] = set()
    for each in literals:
        parts = _parts_of_denied(graph, each)
        failing = [part for part in parts if graph.possible(-part) & left]
        if parts and not failing:
            return None
        narrowed.add(-failing[0] if len(failing) == 1 else each)
    return narrowed


def _parts_of_denied(graph: Graph, literal: Lit) -> tuple[Lit, ...]:
    """What is denied to hold all at once; nothing where that is not what the literal says."""
    if literal > 0 or not _is_schema(graph, literal):
        return ()
    node = graph.of(literal)
    if isinstance(node, Ref):
        node = graph.of(graph.targets[abs(literal)])
    return node.parts if isinstance(node, All) else ()


def _shown(graph: Graph, literals: list[Lit]) -> list[Lit]:
    """The literals with the first reference to something that holds a choice followed."""
    for each in literals:
        if each < 0 or not isinstance(graph.of(each), Ref):
            continue
        node = graph.of(graph.targets[each])
        parts = node.parts if graph.targets[each] > 0 and isinstance(node, All) else ()
        if any(_is_choice(graph, part) for part in parts):
            return sorted({*(other for other in literals if other != each), *parts})
    return literals


def _is_choice(graph: Graph, literal: Lit) -> bool:
    return _is_union(graph, literal) or (literal > 0 and isinstance(graph.of(literal), One))


def _is_large_one(graph: Graph, literal: Lit) -> bool:
    """One of so many that taking it apart without looking would cost more than looking."""
    node = graph.of(literal)
    return literal > 0 and isinstance(node, One) and len(node.parts) > 2


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


def _fewer_denials(
    graph: Graph,
    goal: Goal,
    literals: list[Lit],
    schemas: tuple[list[Lit], list[Lit]],
    likeness: Likeness,
    holds: Holds,
) -> _Pruned:
    """The goal without denials of what nothing here is; `schemas` are those held and those denied.

    What shows at once is seen first, and then whether a few of the denials decide.
    """
    held, denied = schemas
    near = [each for each in denied if not likeness.apart(held, each)]
    if len(near) < len(denied):
        return _whole(graph, [each for each in literals if each in near or each not in denied])
    denied = likeness.nearest_first(held, denied)
    decided = yield from _one_by_one(graph, literals, denied, holds)
    if decided is not None:
        return decided
    return (yield from _without_far_denials(graph, goal, literals, held, denied))


def _one_by_one(
    graph: Graph, literals: list[Lit], denied: list[Lit], holds: Holds
) -> Generator[Goal, Answer, Answer | None]:
    """The answer, where a few of the denials decide; None where all of them are needed.

    They come in their order. A value that none of the others takes either is one for all; of those
    that take it, the first is denied next.
    """
    taken = [each for each in literals if each not in denied]
    left = list(denied)
    while len(left) > 1:
        taken.append(left.pop(0))
        goal = goal_of(graph, taken)
        answer = Empty() if goal is None else (yield goal)
        if isinstance(answer, Empty):
            return answer
        if not isinstance(answer, Found):
            return None
        met = [each for each in left if holds(each, answer.value) is not True]
        if not met:
            return answer
        left = met + [each for each in left if each not in met]
    return None


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
