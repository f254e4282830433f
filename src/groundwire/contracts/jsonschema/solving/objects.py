"""An object with these members and not those.

Members are independent of one another but for how many there are. So it is enough to choose, for
each member that must be there, its name: one that is mentioned, or one of each *cell*, the names
that match the same patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from itertools import combinations, product
from typing import TypeAlias

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.answers import (
    Answer,
    Branch,
    Empty,
    Found,
    Goal,
    Steps,
    Tally,
    Unknown,
    goal_of,
)
from groundwire.contracts.jsonschema.graph import Atom, Graph, Lit
from groundwire.contracts.jsonschema.languages import Languages
from groundwire.contracts.jsonschema.solving.object_demands import Demands, NotTold, Some

MAX_TESTS = 7
MAX_SOME = 6
MAX_LEAST = 100


class _Cell(msgspec.Struct, frozen=True):
    """The names, not mentioned, that match just these patterns and pass just these tests."""

    matched: frozenset[str]
    tests: frozenset[Lit]
    names: tuple[Lit, ...]
    every: tuple[Lit, ...]


class _Name(msgspec.Struct, frozen=True):
    """A name that a member may have: what it matches, and what its value must hold to."""

    text: str
    # None for a name that is mentioned.
    cell: _Cell | None
    # Whether it is known that the name may stand there.
    sure: bool
    matched: frozenset[str]
    tests: frozenset[Lit]
    every: tuple[Lit, ...]


# A choice of names, each with what its value must hold to beyond what every member must.
_Members: TypeAlias = dict[str, tuple[_Name, tuple[Lit, ...]]]
_Asked: TypeAlias = Generator[Goal, Answer, "Answer"]


def solve_object(
    graph: Graph, languages: Languages, branch: Branch, tick: Callable[[], None]
) -> Steps:
    """An object as wanted."""
    demands = Demands(graph, languages, branch)
    if demands.required & demands.absent:
        return Empty()
    if demands.most is not None and max(len(demands.required), demands.least) > demands.most:
        return Empty()
    solver = _Solver(graph, demands, tick)
    if len(demands.some) > MAX_SOME or demands.least > MAX_LEAST:
        return Unknown("object-too-large")
    try:
        return (yield from solver.solve())
    except NotTold:
        return Unknown("pattern-not-understood")


class _Solver:
    def __init__(self, graph: Graph, demands: Demands, tick: Callable[[], None]) -> None:
        self._graph = graph
        self._demands = demands
        self._tick = tick
        self._tally = Tally()
        self._patterns = demands.all_patterns()
        self._tests = sorted({each.name for each in demands.some if each.name is not None})
        self._reps: dict[_Cell, list[_Name]] = {}
        self._done: set[_Cell] = set()

    def solve(self) -> Steps:
        members: _Members = {}
        for text in sorted(self._demands.required):
            name = yield from self._mentioned(text)
            if name is None:
                return self._tally.result()
            answer = yield from self._ask(name.every)
            if isinstance(answer, Empty):
                return answer
            members[text] = (name, ())
        if not self._demands.some:
            return (yield from self._complete(members))
        optional: list[_Name] = []
        for text in sorted(self._demands.named() - self._demands.required - self._demands.absent):
            name = yield from self._mentioned(text)
            if name is not None:
                optional.append(name)
        return (yield from self._place(members, 0, optional))

    def _ask(self, literals: tuple[Lit, ...]) -> _Asked:
        goal = goal_of(self._graph, literals)
        return Empty() if goal is None else (yield goal)

    # -- names ---------------------------------------------------------------------------------

    def _mentioned(self, text: str) -> Generator[Goal, Answer, _Name | None]:
        """The name, where it may stand in the object at all."""
        demands = self._demands
        matched = demands.matched(text, self._patterns)
        this = self._graph.enum([("string", text)])
        sure = True
        if demands.names:
            answer = yield from self._ask((this, *demands.names))
            if isinstance(answer, Empty):
                self._tally.add(answer)
                return None
            sure = isinstance(answer, Found)
        tests: set[Lit] = set()
        for test in self._tests:
            answer = yield from self._ask((this, test))
            if isinstance(answer, Found):
                tests.add(test)
            else:
                self._tally.add(answer)
        every = tuple(demands.of_every(text, matched))
        return _Name(text, None, sure, matched, frozenset(tests), every)

    def _cells(self) -> Iterator[_Cell]:
        """All cells, whether names are in them or not; of too many, the simplest ones."""
        count = len(self._patterns) + len(self._tests)
        apart = -self._graph.enum(("string", name) for name in sorted(self._demands.named()))
        shared = (self._graph.type("string"), apart, *self._demands.names)
        if count > MAX_TESTS:
            self._tally.add(Unknown("patterns-too-many"))
        for signs in _signs(count):
            self._tick()
            kept = list(zip(self._patterns, signs, strict=False))
            literals = [
                self._graph.node(Atom("string", "pattern", text=text)) * (1 if sign else -1)
                for text, sign in kept
            ]
            tests = list(zip(self._tests, signs[len(kept) :], strict=True))
            literals += [test if sign else -test for test, sign in tests]
            matched = frozenset(text for text, sign in kept if sign)
            passed = frozenset(test for test, sign in tests if sign)
            every = tuple(self._demands.of_every(None, matched))
            yield _Cell(matched, passed, (*shared, *literals), every)

    def _nth(self, cell: _Cell, index: int) -> Generator[Goal, Answer, _Name | None]:
        """The name number `index` of the cell; None where it has no more, or none is known."""
        reps = self._reps.setdefault(cell, [])
        while len(reps) <= index and cell not in self._done:
            taken = -self._graph.enum(("string", each.text) for each in reps)
            answer = yield from self._ask((*cell.names, taken))
            text = _text_of(answer)
            if not isinstance(answer, Found):
                self._tally.add(Unknown(answer.reason) if isinstance(answer, Unknown) else answer)
            if text is None or any(each.text == text for each in reps):
                self._done.add(cell)
                break
            sure = isinstance(answer, Found)
            reps.append(_Name(text, cell, sure, cell.matched, cell.tests, cell.every))
        return reps[index] if index < len(reps) else None

    # -- members that must be there --------------------------------------------------------------

    def _place(self, members: _Members, index: int, optional: list[_Name]) -> Steps:
        """Give the demand number `index` a member, and then those after it."""
        some = self._demands.some
        if index == len(some):
            return (yield from self._complete(members))
        options = [name for name, _ in members.values()]
        options += [name for name in optional if name.text not in members]
        for name in options:
            answer = yield from self._try(members, index, optional, name)
            if isinstance(answer, Found):
                return answer
        for cell in self._cells():
            if not self._passes(some[index], None, cell.matched, cell.tests):
                continue
            used = sum(name.cell == cell for name, _ in members.values())
            fresh = yield from self._nth(cell, used)
            if fresh is not None:
                answer = yield from self._try(members, index, optional, fresh)
                if isinstance(answer, Found):
                    return answer
        return self._tally.result()

    def _try(self, members: _Members, index: int, optional: list[_Name], name: _Name) -> Steps:
        self._tick()
        some = self._demands.some[index]
        if not self._passes(some, None if name.cell else name.text, name.matched, name.tests):
            return Empty()
        if (
            name.text not in members
            and self._demands.most is not None
            and len(members) >= self._demands.most
        ):
            return Empty()
        extra = (*members[name.text][1], some.value) if name.text in members else (some.value,)
        answer = yield from self._ask((*name.every, *extra))
        if isinstance(answer, Empty):
            self._tally.add(answer)
            return answer
        return (yield from self._place({**members, name.text: (name, extra)}, index + 1, optional))

    @staticmethod
    def _passes(
        some: Some, name: str | None, matched: frozenset[str], tests: frozenset[Lit]
    ) -> bool:
        if some.name is not None and some.name not in tests:
            return False
        return Demands.passes(some, name, matched)

    # -- the whole -------------------------------------------------------------------------------

    def _complete(self, members: _Members) -> Steps:
        """The object of `members`, filled up to its least number."""
        if len(members) < self._demands.least:
            members = yield from self._filled(members)
            if len(members) < self._demands.least:
                return self._tally.result()
        value: dict[str, JSON] = {}
        doubt: Unknown | None = None
        for text, (name, extra) in sorted(members.items()):
            answer = yield from self._ask((*name.every, *extra))
            if isinstance(answer, Empty):
                self._tally.add(answer)
                return self._tally.result()
            if isinstance(answer, Unknown):
                doubt = doubt if doubt and not doubt.guess else answer
                value[text] = answer.guess[0] if answer.guess else None
            else:
                value[text] = answer.value
        if doubt is None and not all(name.sure for name, _ in members.values()):
            doubt = Unknown("name-not-decided", (None,))
        if doubt is None:
            return Found(value)
        self._tally.add(Unknown(doubt.reason, (value,) if doubt.guess else ()))
        return self._tally.result()

    def _filled(self, members: _Members) -> Generator[Goal, Answer, _Members]:
        filled = dict(members)
        missing = self._demands.named() - self._demands.absent - set(members)
        for text in sorted(missing):
            if len(filled) >= self._demands.least:
                return filled
            name = yield from self._mentioned(text)
            if name is not None and (yield from self._may_stand(name.every)):
                filled[text] = (name, ())
        for cell in self._cells():
            if len(filled) >= self._demands.least:
                break
            if not (yield from self._may_stand(cell.every)):
                continue
            index = 0
            while len(filled) < self._demands.least:
                fresh = yield from self._nth(cell, index)
                if fresh is None:
                    break
                index += 1
                filled.setdefault(fresh.text, (fresh, ()))
        return filled

    def _may_stand(self, every: tuple[Lit, ...]) -> Generator[Goal, Answer, bool]:
        answer = yield from self._ask(every)
        if not isinstance(answer, Found):
            self._tally.add(Unknown(answer.reason) if isinstance(answer, Unknown) else answer)
        return isinstance(answer, Found)


def _signs(count: int) -> Iterator[tuple[bool, ...]]:
    """All ways to give so many signs; of too many, those with at most two positive."""
    if count <= MAX_TESTS:
        yield from product((False, True), repeat=count)
        return
    for positive in range(3):
        for chosen in combinations(range(count), positive):
            yield tuple(index in chosen for index in range(count))


def _text_of(answer: Answer) -> str | None:
    if isinstance(answer, Found) and isinstance(answer.value, str):
        return answer.value
    if isinstance(answer, Unknown) and answer.guess and isinstance(answer.guess[0], str):
        return answer.guess[0]
    return None
