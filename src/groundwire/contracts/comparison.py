"""Comparison: what was found between two versions of one file, and what it comes to."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from groundwire.contracts.changes import GRADES, Change, Grade
from groundwire.contracts.detecting import Kind


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two versions of one file.

    `before` and `after` are what they are called; one is empty where there was or is no file.
    `unreadable`: why nothing was compared, empty where it was; then `reason` is its code.
    """

    path: str
    kind: Kind | None
    before: str
    after: str
    changes: tuple[Change, ...] = ()
    unreadable: str = ""
    reason: str = ""


class Tally(msgspec.Struct, frozen=True):
    """How many changes there are of each grade, those that a declared break pardons apart."""

    grades: dict[Grade, int]
    pardoned: int
    unreadable: int


def tally(comparisons: Collection[Comparison]) -> Tally:
    """The counts over all comparisons; every grade has one."""
    changes = [change for each in comparisons for change in each.changes]
    counted = [change for change in changes if not change.pardoned]
    return Tally(
        {grade: sum(change.grade == grade for change in counted) for grade in GRADES},
        len(changes) - len(counted),
        sum(bool(each.unreadable) for each in comparisons),
    )


def exit_code(comparisons: Collection[Comparison], fail_on: Collection[Grade]) -> int:
    """1 where something harmful that was named happened, 3 where nobody can say, else 0.

    Harmful are `breaking`, `exposure` and `risky`. Nobody can say where a file was not readable,
    or where something is undecided and `undecided` was named.
    """
    found = tally(comparisons)
    if any(found.grades[grade] and grade in fail_on for grade in ("breaking", "exposure", "risky")):
        return 1
    if found.unreadable or (found.grades["undecided"] and "undecided" in fail_on):
        return 3
    return 0
