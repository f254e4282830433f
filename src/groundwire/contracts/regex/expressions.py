"""Regular expressions as numbered, shared nodes, and their derivatives (Brzozowski).

`^` and `$` are nodes like others: the first is empty at the start of a text and nothing after it,
the second is empty at the end and nothing before it. So they may stand anywhere in a pattern.
"""

from __future__ import annotations

from typing import TypeAlias

from groundwire.contracts.regex.characters import EVERY, Ranges, holds

_Node: TypeAlias = tuple[str, tuple[int, ...], Ranges]

NOTHING = 0
EMPTY = 1
START = 2
END = 3
# A repetition with assertions inside is written out, at most this often.
MAX_COPIES = 20
# A repetition without an end.
ENDLESS = -1


class TooLarge(Exception):
    """An expression or a product of them grew past its bound."""


class Expressions:
    """A table of nodes: equal expressions have equal numbers.

    Numbers are given in the order of building, so the same questions get the same numbers.
    """

    def __init__(self, most_nodes: int = 30_000) -> None:
        self._most = most_nodes
        self._nodes: list[_Node] = []
        self._numbers: dict[_Node, int] = {}
        self._derivatives: dict[tuple[int, int, bool], int] = {}
        self._empties: dict[tuple[int, bool, bool], bool] = {}
        self._later: dict[int, int] = {}
        for kind in ("nothing", "empty", "start", "end"):
            self._node(kind)
        self.anything = self.repeat(self.characters(EVERY), 0, ENDLESS)

    def _node(self, kind: str, parts: tuple[int, ...] = (), ranges: Ranges = ()) -> int:
        node = (kind, parts, ranges)
        number = self._numbers.get(node)
        if number is None:
            if len(self._nodes) >= self._most:
                raise TooLarge
            number = self._numbers[node] = len(self._nodes)
            self._nodes.append(node)
        return number

    # -- building ------------------------------------------------------------------------------

    def characters(self, ranges: Ranges) -> int:
        """One character of `ranges`."""
        return self._node("characters", (), ranges) if ranges else NOTHING

    def then(self, first: int, second: int) -> int:
        """`first` followed by `second`."""
        if NOTHING in (first, second):
            return NOTHING
        if first == EMPTY:
            return second
        if second == EMPTY:
            return first
        kind, parts, _ = self._nodes[first]
        if kind == "then":
            return self.then(parts[0], self.then(parts[1], second))
        if first == self.anything and self._begins_with_anything(second):
            return second
        return self._node("then", (first, second))

    def _begins_with_anything(self, number: int) -> bool:
        kind, parts, _ = self._nodes[number]
        return number == self.anything or (kind == "then" and parts[0] == self.anything)

    def either(self, choices: list[int]) -> int:
        """Any of `choices`."""
        flat: set[int] = set()
        for choice in choices:
            kind, parts, _ = self._nodes[choice]
            flat.update(parts if kind == "either" else (choice,))
        flat.discard(NOTHING)
        if self.anything in flat:
            return self.anything
        if len(flat) < 2:
            return flat.pop() if flat else NOTHING
        return self._node("either", tuple(sorted(flat)))

    def repeat(self, part: int, least: int, most: int) -> int:
        """`part` from `least` to `most` times; `most` may be `ENDLESS`.

        Raises:
            TooLarge: `part` holds `^` or `$` and would stand too often.
        """
        if most == 0 or part == EMPTY:
            return EMPTY
        if part == NOTHING:
            return EMPTY if least == 0 else NOTHING
        if (least, most) == (1, 1):
            return part
        if self._asserts(part):
            return self._written_out(part, least, most)
        if self.is_empty_in(part, at_start=False, at_end=False):
            least = 0
        return self._node("repeat", (part, least, most))

    def _written_out(self, part: int, least: int, most: int) -> int:
        """Copies of a part with assertions in it, of which the last may repeat without an end."""
        if max(least, most) > MAX_COPIES:
            raise TooLarge
        if most == ENDLESS:
            whole = self._node("repeat", (part, 0, ENDLESS))
        else:
            whole = EMPTY
            for _ in range(most - least):
                whole = self.either([EMPTY, self.then(part, whole)])
        for _ in range(least):
            whole = self.then(part, whole)
        return whole

    def _asserts(self, number: int) -> bool:
        return self.later(number) != number or self._ends(number)

    def _ends(self, number: int) -> bool:
        kind, parts, _ = self._nodes[number]
        if kind == "repeat":
            return self._ends(parts[0])
        return number == END or any(self._ends(part) for part in parts)

    # -- reading -------------------------------------------------------------------------------

    def is_empty_in(self, number: int, *, at_start: bool, at_end: bool) -> bool:
        """Whether the empty text matches, where it stands at the start, at the end, or both."""
        key = (number, at_start, at_end)
        known = self._empties.get(key)
        if known is None:
            known = self._empties[key] = self._is_empty(*key)
        return known

    def _is_empty(self, number: int, at_start: bool, at_end: bool) -> bool:  # noqa: FBT001 -- a key, as it is kept
        kind, parts, _ = self._nodes[number]
        if kind in {"start", "end"}:
            return at_start if kind == "start" else at_end
        if kind == "repeat":
            return parts[1] == 0 or self.is_empty_in(parts[0], at_start=at_start, at_end=at_end)
        found = (self.is_empty_in(part, at_start=at_start, at_end=at_end) for part in parts)
        return all(found) if kind in {"then", "empty"} else any(found)

    def later(self, number: int) -> int:
        """What of it can still match once a character stood before: `^` no more."""
        known = self._later.get(number)
        if known is not None:
            return known
        kind, parts, _ = self._nodes[number]
        if kind == "start":
            found = NOTHING
        elif kind == "then":
            found = self.then(self.later(parts[0]), self.later(parts[1]))
        elif kind == "either":
            found = self.either([self.later(part) for part in parts])
        elif kind == "repeat" and self.later(parts[0]) != parts[0]:
            found = self.repeat(self.later(parts[0]), parts[1], parts[2])
        else:
            found = number
        self._later[number] = found
        return found

    def after(self, number: int, point: int, *, at_start: bool) -> int:
        """What must follow once `point` was read."""
        key = (number, point, at_start)
        known = self._derivatives.get(key)
        if known is None:
            found = self._after(number, point, at_start)
            known = self._derivatives[key] = self.later(found) if at_start else found
        return known

    def _after(self, number: int, point: int, at_start: bool) -> int:  # noqa: FBT001 -- a key, as it is kept
        kind, parts, ranges = self._nodes[number]
        if kind == "characters":
            return EMPTY if holds(ranges, point) else NOTHING
        if kind == "either":
            return self.either([self.after(part, point, at_start=at_start) for part in parts])
        if kind == "then":
            first = self.then(self.after(parts[0], point, at_start=at_start), parts[1])
            if not self.is_empty_in(parts[0], at_start=at_start, at_end=False):
                return first
            return self.either([first, self.after(parts[1], point, at_start=at_start)])
        if kind == "repeat":
            part, least, most = parts
            fewer = ENDLESS if most == ENDLESS else most - 1
            rest = self.repeat(part, max(least - 1, 0), fewer)
            return self.then(self.after(part, point, at_start=at_start), rest)
        return NOTHING

    def firsts(self, number: int) -> frozenset[int]:
        """Code points at which the set of characters that may come first changes."""
        kind, parts, ranges = self._nodes[number]
        if kind == "characters":
            return frozenset(point for first, last in ranges for point in (first, last + 1))
        if kind == "repeat":
            return self.firsts(parts[0])
        if kind == "then":
            found = self.firsts(parts[0])
            if self._may_be_empty(parts[0]):
                found |= self.firsts(parts[1])
            return found
        return frozenset().union(*(self.firsts(part) for part in parts))

    def _may_be_empty(self, number: int) -> bool:
        return self.is_empty_in(number, at_start=True, at_end=True)
