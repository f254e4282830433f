"""Shelf: everything that may ground a value of an answer, by who said it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Literal, TypeAlias

import msgspec

from groundwire.grounding.boundaries import standing
from groundwire.grounding.folding import readings
from groundwire.grounding.records.evidence import Evidence, prose_evidence, read_evidence
from groundwire.grounding.records.grounds import Ground, find_moment, find_number
from groundwire.grounding.values.value import Value, decimal_of

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
CALL = "call-arguments"
_SHORTEST = 6
HEXADECIMAL = "hexadecimal"
_HEXADECIMAL = re.compile(r"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{6,64}")
Speaker: TypeAlias = Literal["result", "said"]


class Source(msgspec.Struct, frozen=True):
    """One text on the shelf. `number` is the caller's own number of it (its place in the run).

    `arguments` is the JSON of the call that it answers, `tool` that call's name.
    """

    text: str
    speaker: Speaker
    number: int = -1
    tool: str = ""
    arguments: str = ""
    call_id: str = ""


class Shelf:
    """The sources of one answer: results, and what people and instructions said."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.results = [source for source in sources if source.speaker == "result"]
        self.said = [source for source in sources if source.speaker == "said"]
        self._evidence: list[Evidence] | None = None
        self._spoken: list[Evidence] | None = None
        self._asked: list[Evidence] | None = None

    @property
    def evidence(self) -> list[Evidence]:
        """That of the results, in their order."""
        if self._evidence is None:
            self._evidence = [read_evidence(s.text, s.arguments) for s in self.results]
        return self._evidence

    @property
    def asked(self) -> list[Evidence]:
        """That of the arguments which the calls of the results were given."""
        if self._asked is None:
            self._asked = [read_evidence(s.arguments) for s in self.results]
        return self._asked

    @property
    def spoken(self) -> list[Evidence]:
        """That of what was said."""
        if self._spoken is None:
            self._spoken = [prose_evidence(s.text) for s in self.said]
        return self._spoken

    @cached_property
    def families(self) -> frozenset[str]:
        """The families of units that any number of the results has."""
        return frozenset(
            site.unit.family for one in self.evidence for site in one.sites if site.unit is not None
        )

    @property
    def capped(self) -> bool:
        """Whether some source holds more than was read: then nothing is known to be absent."""
        return any(one.capped for one in self.evidence) or any(one.capped for one in self.spoken)

    def ground(self, value: Value, off: Sequence[str] = ()) -> Ground | None:
        """What grounds the value without any arithmetic, or None. `source` counts results first."""
        found = self._ground(value, self.evidence, 0, off)
        found = found or self._ground(value, self.spoken, len(self.results), off)
        if found is None and CALL not in off:
            # An answer may tell what it asked a tool to do; whether that value was served is a
            # question about the call, and asked there.
            asked = self._ground(value, self.asked, 0, off)
            found = None if asked is None else Ground(CALL, asked.source)
        return found

    def _ground(
        self, value: Value, every: Sequence[Evidence], first: int, off: Sequence[str]
    ) -> Ground | None:
        found: Ground | None = None
        match value.kind:
            case "number":
                found = next(find_number(value, every, off), None)
                found = found or self._year(value, every) or self._ending(value, every)
            case "date" | "time":
                found = find_moment(value, every)
            case "identifier":
                found = self._identifier(value.folded, every, first)
                other = _other_hexadecimal(value.folded)
                if found is None and other and HEXADECIMAL not in off:
                    found = self._identifier(other, every, first)
                    found = None if found is None else Ground(HEXADECIMAL, found.source)
        return None if found is None else Ground(found.method, found.source + first, found.site)

    def _year(self, value: Value, every: Sequence[Evidence]) -> Ground | None:
        number = value.number
        if number is None or value.unit is not None or not 1000 <= number <= 2999:
            return None
        return next(
            (Ground("year", place) for place, one in enumerate(every) if int(number) in one.years),
            None,
        )

    def _ending(self, value: Value, every: Sequence[Evidence]) -> Ground | None:
        """The last digits of a longer number, as cards and accounts are named."""
        if value.unit is not None or value.step != 1 or value.number is None or value.digits > 6:
            return None
        digits = str(abs(value.number))
        if len(digits) < 3:
            return None
        for place, one in enumerate(every):
            if any(len(text) > len(digits) and text.endswith(digits) for text in one.identifiers):
                return Ground("ending", place)
        return None

    def _identifier(self, folded: str, every: Sequence[Evidence], first: int) -> Ground | None:
        for place, one in enumerate(every):
            if folded in one.identifiers:
                return Ground("exact", place)
        short = folded.removesuffix("...").removesuffix("\u2026")
        if short != folded and len(short) >= _SHORTEST:
            # An identifier that is cut and says so.
            for place, one in enumerate(every):
                if any(known.startswith(short) for known in one.identifiers):
                    return Ground("shortened", place)
        for place, source in enumerate(self.said if first else self.results):
            if any(standing(text, folded)[0] == "whole" for text in _folded(source.text)):
                return Ground("exact", place)
        return self._listed(folded, every)

    def _listed(self, folded: str, every: Sequence[Evidence]) -> Ground | None:
        """`900/1800`: numbers with slashes between them, each of which stands somewhere."""
        parts = folded.split("/")
        if len(parts) < 2 or not all(part[:1].isdigit() for part in parts):
            return None
        for place, one in enumerate(every):
            if all(part in one.identifiers or _has_number(one, part) for part in parts):
                return Ground("list", place)
        return None


def _other_hexadecimal(folded: str) -> str:
    """The number with its `0x`, or without; empty for what is no hexadecimal of some length."""
    bare = folded.removeprefix("0x")
    if not _HEXADECIMAL.fullmatch(bare):
        return ""
    return bare if bare != folded else f"0x{bare}"


def _has_number(evidence: Evidence, part: str) -> bool:
    number = decimal_of(part.rstrip(_LETTERS))
    return number is not None and any(True for _ in evidence.between(number, number))


@lru_cache(maxsize=256)
def _folded(text: str) -> tuple[str, ...]:
    return readings(text)
