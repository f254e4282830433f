"""What is asked of the search, and what it answers."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TypeAlias

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.graph import All, Atom, Enum, Graph, Lit, Opaque

# "A value for which all of these hold", sorted.
Goal: TypeAlias = tuple[Lit, ...]


class Found(msgspec.Struct, frozen=True):
    """`value` holds to all."""

    value: JSON


class Empty(msgspec.Struct, frozen=True):
    """No value does, as long as none does for the goals in `cuts`, which are being asked."""

    cuts: frozenset[Goal] = frozenset()


class Unknown(msgspec.Struct, frozen=True):
    """Not decided, for `reason`; `guess` holds one value that may do, or nothing."""

    reason: str
    guess: tuple[JSON] | tuple[()] = ()


Answer: TypeAlias = Found | Empty | Unknown
# A solver yields goals and is sent their answers.
Steps: TypeAlias = Generator[Goal, Answer, Answer]


class Branch(msgspec.Struct, frozen=True):
    """One way to hold to a goal with a value of one type: atoms that are true or false of it."""

    atoms: tuple[tuple[Atom, bool], ...]
    enums: tuple[tuple[Enum, bool], ...]
    opaque: tuple[Opaque, ...]


class Tally:
    """What a number of ways that led to no value comes to: none at all, or not known."""

    def __init__(self) -> None:
        self._cuts: set[Goal] = set()
        self.unknown: Unknown | None = None

    def add(self, answer: Answer) -> None:
        """Count in a way that gave no sure value; the first guess is kept."""
        if isinstance(answer, Empty):
            self._cuts |= answer.cuts
        elif isinstance(answer, Unknown) and (
            self.unknown is None or (answer.guess and not self.unknown.guess)
        ):
            self.unknown = answer

    def result(self) -> Answer:
        """Empty only where each way was."""
        return self.unknown or Empty(frozenset(self._cuts))


def goal_of(graph: Graph, literals: Iterable[Lit]) -> Goal | None:
    """The goal of `literals`, without what goes without saying; None where two contradict."""
    flat: set[Lit] = set()
    waiting = list(literals)
    while waiting:
        literal = waiting.pop()
        node = graph.of(literal)
        if literal > 0 and isinstance(node, All):
            waiting.extend(part for part in node.parts if part not in flat)
        else:
            flat.add(literal)
    said_by_twins = {graph.twins[each] for each in flat if each in graph.twins}
    if graph.false in flat or any(-each in flat or -each in said_by_twins for each in flat):
        return None
    held = flat | said_by_twins
    for each in flat:
        node = graph.of(each)
        if each < 0 and isinstance(node, All) and held.issuperset(node.parts):
            return None
    return tuple(sorted(flat - said_by_twins))
