"""Places: where in a result a value stands, and in whose record."""

from __future__ import annotations

import msgspec

from groundwire.canon.paths import pointers
from groundwire.grounding.folding import fold
from groundwire.grounding.records.reading import read_result
from groundwire.grounding.spellings.plain import plain


class Place(msgspec.Struct, frozen=True):
    """A field of a result: the passage's number, the field's JSON pointer and its record's.

    The record is the innermost item of a list that the field stands in, or the whole result; what
    the result's own call was given belongs to the whole result.
    """

    number: int
    pointer: str
    record: str

    def is_with(self, other: Place) -> bool:
        """Whether both stand in one record, or one's record in the other's."""
        return self.number == other.number and (
            _within(self.record, other.record) or _within(other.record, self.record)
        )


def places(number: int, text: str, arguments: str, value: str, path: str = "") -> list[Place]:
    """The fields of this result that are the value, in any plain spelling; under `path` if given."""
    spellings = {spelling for spelling, _ in plain(fold(value))}
    under = pointers(path) if path else None
    return [
        Place(number, field.pointer, _record_of(field.pointer))
        for record in read_result(text, arguments).records
        for field in record.fields
        if (under is None or under.fullmatch(field.pointer))
        and not spellings.isdisjoint(spelling for spelling, _ in plain(fold(field.text) or " "))
    ]


def _record_of(pointer: str) -> str:
    steps = pointer.split("/")
    last = max((place for place, step in enumerate(steps) if step.isdigit()), default=0)
    return "/".join(steps[: last + 1])


def _within(inner: str, outer: str) -> bool:
    return inner == outer or inner.startswith(outer + "/")
