"""An array of these items: by position, with some that must be there, and how often.

An item that is wanted by nothing can be left out of the places where all are alike. So no array
need be longer than its least length, its listed positions and the items that must be there.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

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
from groundwire.contracts.jsonschema.exact import equal_to
from groundwire.contracts.jsonschema.graph import Atom, Graph, Lit
from groundwire.contracts.jsonschema.solving.matching import match
from groundwire.contracts.jsonschema.values import identity

# Of a length that counts or pairs are looked for in, and of any.
MAX_COUNTED = 64
MAX_ITEMS = 2_000
MAX_DISTINCT = 128
MAX_COUNTS = 5


class _Count(msgspec.Struct):
    """How many items, from a position on, hold to `node`."""

    node: Lit
    start: int
    least: int = 0
    most: int | None = None

    def choices(self, position: int) -> list[tuple[int, tuple[Lit, ...]]]:
        """Counted or not, and what the item then holds to."""
        if position < self.start:
            return [(0, ())]
        return [(0, () if self.most is None else (-self.node,)), (1, (self.node,))]


class _Option(msgspec.Struct, frozen=True):
    """One way for an item to be: what it holds to, and which of the counts it adds to."""

    literals: tuple[Lit, ...]
    adds: tuple[int, ...]


def solve_array(graph: Graph, branch: Branch, tick: Callable[[], None]) -> Steps:
    """An array as wanted."""
    return (yield from _Solver(graph, branch, tick).solve())


class _Solver:
    def __init__(self, graph: Graph, branch: Branch, tick: Callable[[], None]) -> None:
        self._graph = graph
        self._tick = tick
        self._tally = Tally()
        self._least = 0
        self._most: int | None = None
        self._prefix = 0
        self._items: list[tuple[int, int | None, Lit]] = []
        self._counts: dict[tuple[Lit, int], _Count] = {}
        self._unique: set[bool] = set()
        for atom, sign in branch.atoms:
            self._read(atom, sign=sign)
        self._all_counts = list(self._counts.values())

    def _read(self, atom: Atom, *, sign: bool) -> None:
        match atom.kind:
            case "min-items" | "max-items":
                self._read_length(atom, sign=sign)
            case "item":
                self._prefix = max(self._prefix, atom.count + 1)
                self._items.append((atom.count, atom.count + 1, atom.node if sign else -atom.node))
                if not sign:
                    self._least = max(self._least, atom.count + 1)
            case "items":
                self._prefix = max(self._prefix, atom.count)
                if sign:
                    self._items.append((atom.count, None, atom.node))
                else:
                    count = self._count(-atom.node, atom.count)
                    count.least = max(count.least, 1)
            case "min-contains" | "max-contains":
                self._read_count(atom, sign=sign)
            case "unique":
                self._unique.add(sign)
            case _:
                pass

    def _read_length(self, atom: Atom, *, sign: bool) -> None:
        if (atom.kind == "min-items") == sign:
            self._least = max(self._least, atom.count if sign else atom.count + 1)
        else:
            most = atom.count if sign else atom.count - 1
            self._most = most if self._most is None else min(self._most, most)

    def _read_count(self, atom: Atom, *, sign: bool) -> None:
        count = self._count(atom.node, 0)
        if (atom.kind == "min-contains") == sign:
            count.least = max(count.least, atom.count if sign else atom.count + 1)
        else:
            most = atom.count if sign else atom.count - 1
            count.most = most if count.most is None else min(count.most, most)

    def _count(self, node: Lit, start: int) -> _Count:
        return self._counts.setdefault((node, start), _Count(node, start))

    # -- lengths -------------------------------------------------------------------------------

    def solve(self) -> Steps:
        if len(self._unique) > 1 or any(
            count.most is not None and count.least > count.most for count in self._all_counts
        ):
            return Empty()
        if len(self._all_counts) > MAX_COUNTS:
            return Unknown("counts-too-many")
        top = self._top()
        bound = MAX_COUNTED if self._all_counts or False in self._unique else MAX_ITEMS
        if top > bound:
            self._tally.add(Unknown("array-too-long"))
            top = bound
        if self._most is not None:
            top = min(top, self._most)
        for length in range(self._least, top + 1):
            answer = yield from self._of_length(length)
            if isinstance(answer, Found):
                return answer
        return self._tally.result()

    def _top(self) -> int:
        wanted = sum(count.least for count in self._all_counts)
        if False in self._unique:
            return max(self._least, self._prefix) + wanted + 2
        if not wanted:
            return self._least
        return max(self._least, self._prefix) + wanted

    def _of_length(self, length: int) -> Steps:
        options: list[list[_Option]] = []
        for position in range(length):
            if position <= self._prefix:
                found = yield from self._options(position)
            if not found:
                return self._tally.result()
            options.append(found)
        for chosen in self._combine(options):
            answer = yield from self._whole(chosen)
            if isinstance(answer, Found):
                return answer
            self._tally.add(answer)
        return self._tally.result()

    def _options(self, position: int) -> Generator[Goal, Answer, list[_Option]]:
        """The ways in which the item at `position` can be; past the prefix all are alike."""
        common = tuple(
            node
            for start, end, node in self._items
            if start <= position and (end is None or position < end)
        )
        partial = [_Option(common, ())]
        for count in self._all_counts:
            partial = [
                _Option((*option.literals, *literals), (*option.adds, adds))
                for option in partial
                for adds, literals in count.choices(position)
            ]
        found: list[_Option] = []
        for option in partial:
            answer = yield from self._ask(option.literals)
            if isinstance(answer, Empty):
                self._tally.add(answer)
            else:
                found.append(option)
        return found

    def _ask(self, literals: tuple[Lit, ...]) -> Generator[Goal, Answer, Answer]:
        goal = goal_of(self._graph, literals)
        return Empty() if goal is None else (yield goal)

    def _combine(self, options: list[list[_Option]]) -> Iterator[list[_Option]]:
        """Each choice of an option a position that counts right; where all are alike, once."""
        waiting: list[list[int]] = [[]]
        while waiting:
            chosen = waiting.pop()
            self._tick()
            position = len(chosen)
            taken = [options[at][index] for at, index in enumerate(chosen)]
            if not self._counts_can_hold(taken, len(options) - position):
                continue
            if position == len(options):
                yield taken
                continue
            first = chosen[-1] if position > self._prefix else 0
            waiting += [[*chosen, at] for at in reversed(range(first, len(options[position])))]

    def _counts_can_hold(self, taken: list[_Option], left: int) -> bool:
        for index, count in enumerate(self._all_counts):
            total = sum(option.adds[index] for option in taken)
            if total + left < count.least or (count.most is not None and total > count.most):
                return False
        return True

    # -- whole arrays ----------------------------------------------------------------------------

    def _whole(self, chosen: list[_Option]) -> Steps:
        if True in self._unique and len(chosen) > 1:
            return (yield from self._distinct(chosen))
        if False in self._unique:
            return (yield from self._with_a_pair(chosen))
        return (yield from self._each(chosen))

    def _each(self, chosen: list[_Option]) -> Steps:
        values: list[JSON] = []
        doubt: Unknown | None = None
        for option in chosen:
            answer = yield from self._ask(option.literals)
            if isinstance(answer, Empty):
                return answer
            if isinstance(answer, Unknown):
                doubt = doubt if doubt and not doubt.guess else answer
                values.append(answer.guess[0] if answer.guess else None)
            else:
                values.append(answer.value)
        if doubt is not None:
            return Unknown(doubt.reason, (values,) if doubt.guess else ())
        return Found(values)

    def _with_a_pair(self, chosen: list[_Option]) -> Steps:
        """Two of the items are equal: one value holds to what both must."""
        tally = Tally()
        for second, option in enumerate(chosen):
            for first in range(second):
                both = _Option((*chosen[first].literals, *option.literals), ())
                paired = [both if at in {first, second} else each for at, each in enumerate(chosen)]
                answer = yield from self._each(paired)
                if isinstance(answer, Found):
                    return answer
                tally.add(answer)
        return tally.result()

    def _distinct(self, chosen: list[_Option]) -> Steps:
        """No two are equal: for each as many values as there are items, and then a matching."""
        if len(chosen) > MAX_DISTINCT:
            return Unknown("array-too-long")
        tally = Tally()
        pools: dict[tuple[Lit, ...], list[JSON]] = {}
        for option in chosen:
            if option.literals not in pools:
                pool = yield from self._pool(option.literals, len(chosen), tally)
                pools[option.literals] = pool
        keyed = [{identity(value): value for value in pools[option.literals]} for option in chosen]
        matched = match([list(values) for values in keyed])
        if matched is None:
            return tally.result()
        return Found([values[key] for values, key in zip(keyed, matched, strict=True)])

    def _pool(
        self, literals: tuple[Lit, ...], count: int, tally: Tally
    ) -> Generator[Goal, Answer, list[JSON]]:
        values: list[JSON] = []
        while len(values) < count:
            self._tick()
            others = tuple(-equal_to(self._graph, value) for value in values)
            answer = yield from self._ask((*literals, *others))
            if not isinstance(answer, Found):
                tally.add(answer if isinstance(answer, Empty) else Unknown(answer.reason))
                break
            values.append(answer.value)
        return values
