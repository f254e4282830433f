"""A different choice for each: the matching of places with values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

_Key = TypeVar("_Key", bound=Hashable)


def match(choices: Sequence[Sequence[_Key]]) -> list[_Key] | None:
    """One of the choices for each place, no two equal; None where there is no such way."""
    holder: dict[_Key, int] = {}
    for place in range(len(choices)):
        if not _give(choices, holder, place, set()):
            return None
    taken = {place: key for key, place in holder.items()}
    return [taken[place] for place in range(len(choices))]


def _give(
    choices: Sequence[Sequence[_Key]], holder: dict[_Key, int], place: int, tried: set[_Key]
) -> bool:
    """Give `place` a value, moving those who hold one to others where that helps."""
    for key in choices[place]:
        if key in tried:
            continue
        tried.add(key)
        if key not in holder or _give(choices, holder, holder[key], tried):
            holder[key] = place
            return True
    return False
