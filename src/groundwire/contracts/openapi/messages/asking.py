"""Questions about values that are only text on the wire: a witness is one that no reading takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.comparing import Options, Pair
from groundwire.contracts.openapi.messages.told import reader_of
from groundwire.contracts.openapi.messages.writing.texts import (
    NotText,
    Texts,
    readings,
    readings_of_parameter,
)
from groundwire.contracts.openapi.schemas import Schemas, sender_of
from groundwire.contracts.verdict import (
    Breaking,
    Compatible,
    Direction,
    Risky,
    Undecided,
    Verdict,
)

_Ends: TypeAlias = tuple[str, str]
_EMPTY: Final[list[JSON]] = ["", [], {}]
_OF_TEXTS: Final = Options(dialect="2020-12")


class Wire(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of how the values stand on the wire."""

    list_of_one: bool = False
    """A list of one item is written as that item is."""
    empty_is_absent: bool = False
    """Of a list or object without members nothing is written."""
    in_path: bool = False
    """Nothing is sent as nothing: the path would be another."""
    empty_is_taken: bool = False
    """Who reads takes it as nothing, whatever the schema says."""

    def is_absent(self, value: JSON) -> bool:
        """Whether nothing of the value stands there."""
        return (self.empty_is_absent and value in _EMPTY[1:]) or (self.in_path and value in _EMPTY)


_PLAIN: Final = Wire()


def ask_texts(schemas: Schemas, ends: _Ends, direction: Direction, wire: Wire = _PLAIN) -> Verdict:
    """As `Schemas.ask` of the schemas at `ends`, of values that are only text on the wire.

    A witness is one whose text is refused however it is read. None has a null in it: how that is
    written nobody says.
    """
    return _Asked(schemas, ends, direction, wire).verdict()


class _Asked:
    def __init__(self, schemas: Schemas, ends: _Ends, direction: Direction, wire: Wire) -> None:
        self._schemas = schemas
        self._ends = ends
        self._direction: Direction = direction
        self._wire = wire

    def verdict(self) -> Verdict:
        """By types first: where nothing breaks then, nothing does. Then by texts."""
        verdict = self._schemas.ask(*self._ends, self._direction)
        if isinstance(verdict, Compatible):
            return verdict
        if isinstance(verdict, Breaking | Risky) and self._is_refused(verdict.witness):
            return verdict
        try:
            found = self._by_texts()
        except NotText:
            found = Undecided("types-written-alike")
        if isinstance(found, Breaking | Risky) and not (
            self._is_sent(found.witness) and self._is_refused(found.witness)
        ):
            found = Undecided("types-written-alike")
        both = isinstance(found, Undecided) and isinstance(verdict, Undecided)
        return verdict if both else found

    def _by_texts(self) -> Verdict:
        """As `Pair.ask` does of types: with names that nobody declared, and then without.

        Raises:
            NotText: the schemas say something of texts that cannot be asked.
        """
        first = self._ask(undeclared=True)
        if isinstance(first, Compatible):
            return first
        second = self._ask(undeclared=False)
        if not isinstance(second, Compatible):
            return second
        return Risky(first.witness) if isinstance(first, Breaking) else first

    def _ask(self, *, undeclared: bool) -> Verdict:
        found: list[JSON] = []
        for index, pointer in enumerate(self._ends):
            sends = (self._direction == "accepts") == (index == 0)
            texts = Texts(
                self._schemas,
                "new" if index else "old",
                sends=sends,
                list_of_one=self._wire.list_of_one,
                empty_is_absent=self._wire.empty_is_absent,
                undeclared=undeclared,
            )
            schema = texts.of(pointer)
            if sends and self._wire.in_path:
                schema = {"allOf": [schema, {"not": {"enum": _EMPTY}}]}
            elif not sends and self._wire.empty_is_taken:
                schema = {"anyOf": [schema, {"const": ""}]}
            found.append(schema)
        return Pair(found[0], found[1], _OF_TEXTS).ask("#", "#", self._direction)

    def _readings(self, value: JSON) -> Iterator[JSON]:
        return readings_of_parameter(value) if self._wire.list_of_one else readings(value)

    def _is_refused(self, value: JSON) -> bool:
        """Whether the reader refuses the value however its text is read."""
        if self._wire.is_absent(value) or (self._wire.empty_is_taken and value in ("", [""])):
            return False
        if _holds_null(value):
            return False
        side = reader_of(self._direction)
        pointer = self._ends[side == "new"]
        return all(
            self._schemas.accepts(side, pointer, each, self._direction) is False
            for each in self._readings(value)
        )

    def _is_sent(self, value: JSON) -> bool:
        """Whether the sender may send what is written as the value is."""
        side = sender_of(self._direction)
        pointer = self._ends[side == "new"]
        return any(
            self._schemas.accepts(side, pointer, each, self._direction) is True
            for each in self._readings(value)
        )


def _holds_null(value: JSON) -> bool:
    match value:
        case dict():
            return any(map(_holds_null, value.values()))
        case list() | tuple():
            return any(map(_holds_null, value))
        case _:
            return value is None
