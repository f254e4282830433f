"""Differences: where two JSON values are not the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import Enum
from typing import Final, TypeAlias

import msgspec

from groundwire.canon.jcs import JSON


class _Absent(Enum):
    ABSENT = "absent"


ABSENT: Final = _Absent.ABSENT
"""No value at all, which is not null."""

Side: TypeAlias = JSON | _Absent


class Difference(msgspec.Struct, frozen=True):
    """One place: the path to it, and what stands there on both sides."""

    path: tuple[str, ...]
    before: Side
    after: Side

    @property
    def pointer(self) -> str:
        """The path as a JSON pointer (RFC 6901)."""
        return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in self.path)


def differences(before: JSON, after: JSON, *, most: int) -> list[Difference]:
    """Where the values differ: the deepest places, depth first, at most so many.

    A number equals one of the same value (1 and 1.0); a boolean equals no number.
    """
    found: list[Difference] = []
    waiting: list[Difference] = [Difference((), before, after)]
    while waiting and len(found) < most:
        place = waiting.pop()
        inner = list(_inner(place))
        if inner:
            waiting += reversed(inner)
        elif not _equal(place.before, place.after):
            found.append(place)
    return found


def text_of(side: Side) -> str:
    """The value's JSON, a bare text as it is; empty for nothing at all."""
    if side is ABSENT:
        return ""
    if isinstance(side, str | Decimal):
        return str(side)
    try:
        return msgspec.json.encode(side).decode()
    except (OverflowError, RecursionError, UnicodeEncodeError):
        return repr(side)


def _inner(place: Difference) -> Iterator[Difference]:
    before, after = place.before, place.after
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys((*before, *after)):
            yield Difference((*place.path, key), before.get(key, ABSENT), after.get(key, ABSENT))
    elif isinstance(before, list | tuple) and isinstance(after, list | tuple):
        for index in range(max(len(before), len(after))):
            yield Difference(
                (*place.path, str(index)),
                before[index] if index < len(before) else ABSENT,
                after[index] if index < len(after) else ABSENT,
            )


def _equal(before: Side, after: Side) -> bool:
    if isinstance(before, bool) or isinstance(after, bool):
        return before is after
    return before == after
