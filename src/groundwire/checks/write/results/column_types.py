"""Column types: whether rows hold what the tool's declaration says. Pure, and blind to meaning."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from email.utils import parsedate_tz
from math import isfinite

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.documents.declaration import Column, ColumnType

# ISO 8601: a day, and perhaps a time with perhaps an offset. RFC 2822 is the other spelling.
_MOMENT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-4]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?|:60)?"
    r"(?:Z|[+-]\d\d:?\d\d)?)?"
)
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class Offence(msgspec.Struct, frozen=True):
    """A column that is not as declared: `rows` of `of` rows, the first of them `sample`, a `got`.

    `missing`: no row has it at all.
    """

    column: Column
    rows: int
    of: int
    got: str
    sample: str
    missing: bool = False


def offences(rows: Sequence[Mapping[str, JSON]], columns: Sequence[Column]) -> list[Offence]:
    """One for each declared column that is not as declared; columns beyond those are not judged.

    Spec: context integrity, section 5.7.
    """
    found: list[Offence] = []
    for column in columns:
        if all(column.name not in row for row in rows):
            found.append(Offence(column, len(rows), len(rows), "missing", "", missing=True))
            continue
        bad = [row for row in rows if not _fits(row, column)]
        if bad:
            got, sample = _kind(bad[0], column.name)
            found.append(Offence(column, len(bad), len(rows), got, sample))
    return found


def _fits(row: Mapping[str, JSON], column: Column) -> bool:
    value = row.get(column.name)
    return column.nullable if value is None else _is(value, column.type)


def _is(value: JSON, wanted: ColumnType) -> bool:
    match wanted:
        case "number":
            if isinstance(value, bool) or not isinstance(value, int | float):
                return False
            return isinstance(value, int) or isfinite(value)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "date":
            return isinstance(value, str) and is_date(value)


def is_date(text: str) -> bool:
    """Whether the text is a date or a moment, as ISO 8601 or RFC 2822 spells one."""
    found = _MOMENT.fullmatch(text.strip())
    if found is not None:
        month, day = int(found[2]), int(found[3])
        return 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]
    return parsedate_tz(text) is not None and any(letter.isalpha() for letter in text)


def _kind(row: Mapping[str, JSON], name: str) -> tuple[str, str]:
    if name not in row:
        return "missing", ""
    value = row[name]
    match value:
        case None:
            return "null", "null"
        case bool():
            return "boolean", str(value).lower()
        case str():
            return "string", f'"{value}"'
        case Mapping():
            return "object", ""
        case int():
            return "number", str(value)
        case float():
            return ("number" if isfinite(value) else f"the number {value}"), str(value)
        case _:
            return "array", ""
