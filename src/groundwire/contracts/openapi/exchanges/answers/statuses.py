"""Responses as a partition of the status codes: of all that speak of one, the most specific does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

_CODE = re.compile(r"[1-5]\d\d", re.ASCII)
_RANGE = re.compile(r"[1-5][Xx]{2}")
_CLASSES = "12345"
REST = "default"


class Cell(msgspec.Struct, frozen=True):
    """Status codes that one response of the old side, and one of the new, speak of.

    `status` is one of them. `old` and `new` are the names of the responses, None for no response.
    """

    status: str
    old: str | None
    new: str | None

    @property
    def is_success(self) -> bool:
        """Whether the codes say that all went well."""
        return self.status.startswith("2")


def is_name(name: str) -> bool:
    """Whether it names statuses: a code, a range of them, or all the rest."""
    return name == REST or bool(_CODE.fullmatch(name) or _RANGE.fullmatch(name))


def cells(old: Iterable[str], new: Iterable[str]) -> tuple[Cell, ...]:
    """The parts into which the names on both sides cut the codes, in ascending order.

    Those of which neither side says anything are left out. A name that is no code, no range and
    not `default` is taken for a code of its own.
    """
    before, after = _by_code(old), _by_code(new)
    codes = sorted({*before, *after} - {REST, *(f"{each}XX" for each in _CLASSES)})
    found = [_cell(code, code, before, after) for code in codes]
    for each in _CLASSES:
        free = next(_free(each, codes), None)
        if free is not None:
            found.append(_cell(free, f"{each}XX", before, after))
    spoken_of = (cell for cell in found if cell.old is not None or cell.new is not None)
    return tuple(sorted(spoken_of, key=lambda cell: cell.status))


def _by_code(names: Iterable[str]) -> dict[str, str]:
    """The names as they are written, by how they are compared."""
    return {name.upper() if _RANGE.fullmatch(name) else name: name for name in names}


def _free(first: str, codes: list[str]) -> Iterator[str]:
    taken = set(codes)
    return (code for code in (f"{first}{n:02}" for n in range(100)) if code not in taken)


def _cell(status: str, name: str, before: dict[str, str], after: dict[str, str]) -> Cell:
    names = [name]
    if _CODE.fullmatch(status):
        names.append(f"{status[0]}XX")
    names.append(REST)
    speaking = [
        next((side[each] for each in names if each in side), None) for side in (before, after)
    ]
    return Cell(status, *speaking)
