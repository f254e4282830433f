"""Twins: results of the same call made again, and what stood in the first and no longer does."""

from __future__ import annotations

from collections.abc import Sequence

from groundwire.canon import jcs
from groundwire.checks.claim.sentences.outcomes import is_failure
from groundwire.checks.transcript import Served, Transcript
from groundwire.documents.call import ToolCall
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import EncodingError
from groundwire.grounding.folding import fold
from groundwire.grounding.records.reading import read_result
from groundwire.grounding.records.record import Field, Reading, Record

_LONGEST_NAME = 80


class Twins:
    """Which results of a run were followed by one of the same call; each is looked at once."""

    def __init__(self, run: Transcript) -> None:
        self._run = run
        self._read = 0
        self._alone: dict[tuple[int, str], Served | None] = {}
        self._groups: dict[tuple[int, str, str], list[Served]] = {}

    def later(self, lane: int) -> dict[int, Served]:
        """By the number of a result: the last one that the same call of the same lane gave after it.

        The same tool and arguments, but for those declared volatile. Failed calls are no twins.
        """
        self._catch_up()
        return {
            served.number: group[-1]
            for (number, _, _), group in self._groups.items()
            if number == lane and len(group) > 1
            for served in group[:-1]
            if served.part.text != group[-1].part.text
        }

    def _catch_up(self) -> None:
        for served in self._run.served[self._read :]:
            if served.call is None or is_failure(served.part.text, is_error=served.part.is_error):
                continue
            name = served.lane, served.call.name
            alone = self._alone.get(name)
            if name not in self._alone:
                # What was called once has no twin, whatever it was given.
                self._alone[name] = served
                continue
            if alone is not None:
                self._alone[name] = None
                self._group(alone)
            self._group(served)
        self._read = len(self._run.served)

    def _group(self, served: Served) -> None:
        name = _name(served.call, self._run.tools.get(served.tool))
        if name is not None:
            self._groups.setdefault((served.lane, *name), []).append(served)


def replaced(before: Served, after: Served, pointer: str) -> tuple[Field, Field] | None:
    """The field at this place in both results, where the later one says another thing of the same.

    None where either has no such place, both say the same, or the two records are of different
    things: then nobody can say that one took the other's place.
    """
    left, right = _found(_reading(before), pointer), _found(_reading(after), pointer)
    if left is None or right is None:
        return None
    (old_record, old), (new_record, new) = left, right
    if old.key != new.key or fold(old.text) == fold(new.text):
        return None
    return (old, new) if _are_one(old_record, new_record, pointer) else None


def fields_with(served: Served, text: str) -> list[Field]:
    """The fields whose whole text is this one."""
    wanted = fold(text)
    return [
        field
        for record in _reading(served).records
        for field in record.fields
        if field.pointer and fold(field.text) == wanted
    ]


def _are_one(before: Record, after: Record, pointer: str) -> bool:
    """Whether both records name the same thing: every short text but the one at the place is alike.

    Of a record that is no row and has no such text there is only one.
    """
    names, others = _names(before, pointer), _names(after, pointer)
    if not names and not others:
        return not any(part.isdigit() for part in before.pointer.split("/"))
    return bool(names & others) and (len(names ^ others) <= len(names & others))


def _names(record: Record, pointer: str) -> set[tuple[str, str]]:
    return {
        (field.key, fold(field.text))
        for field in record.fields
        if field.pointer != pointer and field.number is None and 0 < len(field.text) < _LONGEST_NAME
    }


def _found(reading: Reading, pointer: str) -> tuple[Record, Field] | None:
    for record in reading.records:
        for field in record.fields:
            if field.pointer == pointer:
                return record, field
    return None


def _reading(served: Served) -> Reading:
    return read_result(served.part.text, "" if served.call is None else served.call.arguments)


def _name(call: ToolCall | None, declared: ToolDeclaration | None) -> tuple[str, str] | None:
    if call is None:
        return None
    volatile: Sequence[str] = () if declared is None else declared.volatile
    try:
        value = jcs.decode_foreign((call.arguments.strip() or "{}").encode()).value
        if isinstance(value, dict):
            value = {key: inner for key, inner in value.items() if key not in volatile}
        return call.name, jcs.encode(value).decode()
    except (EncodingError, UnicodeEncodeError):
        return None
