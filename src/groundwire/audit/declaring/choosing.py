"""Choosing: the declaration of one argument that what was observed speaks for.

It says what happened, which need not be what is meant. Where the evidence is mixed nothing is
chosen, and the candidates are told.
"""

from __future__ import annotations

from typing import Final

import msgspec

from groundwire.audit.declaring.observing import ANYWHERE, ArgumentSeen, Place
from groundwire.canon import paths

ENOUGH: Final = 0.9
"""This share of the values has to speak for a source before it is proposed."""

HINT: Final = 0.3
"""From this share on a source is told of as a candidate."""


class Choice(msgspec.Struct, frozen=True):
    """`source` as it stands in a policy; empty where nothing is proposed. `why` has the counts.

    `candidate` is a source to think about where none is proposed.
    """

    source: str
    why: str
    candidate: str = ""


def choose(seen: ArgumentSeen, tool: str) -> Choice:
    """What to declare of an argument of `tool` of which this was seen."""
    total = seen.values
    place, stood = _best_place(seen, tool)
    if total and seen.enumerated == total:
        return Choice(
            "", f"{_of(total, total)} are values that its schema lists: nothing to declare"
        )
    if seen.small >= ENOUGH * total:
        return Choice("", f"{_of(seen.small, total)} are small numbers, which stand everywhere")
    if place and stood >= ENOUGH * total and stood >= seen.said:
        return Choice(spelled(place), f"{_of(stood, total)} stood {_where(place)}")
    if seen.said >= ENOUGH * total:
        return Choice("user", f"{_of(seen.said, total)} were said by a user")
    anywhere, held = _best_tool(seen, tool)
    if anywhere and held >= ENOUGH * total:
        return Choice(f"{anywhere}:", f"{_of(held, total)} stood in its results, at several paths")
    if seen.unseen >= ENOUGH * total:
        return _of_unseen(seen)
    return _mixed(seen, place, stood)


def spelled(place: Place) -> str:
    """A place as the source that it is."""
    tool, path = place
    return f"{tool}:" if path == ANYWHERE else f"{tool}:{path}"


def _of_unseen(seen: ArgumentSeen) -> Choice:
    unseen = f"{_of(seen.unseen, seen.values)} stood in no result and no user said them"
    for source, count, what in (
        ("list", seen.listed, "lists of values that were served or said"),
        ("free-text", seen.prose, "texts"),
        ("derived", seen.computed, "dates or numbers"),
    ):
        if count >= ENOUGH * seen.unseen:
            return Choice(source, f"{unseen}; {count} are {what}")
    return Choice("", unseen)


def _mixed(seen: ArgumentSeen, place: Place | None, stood: int) -> Choice:
    parts = []
    if place and stood >= HINT * seen.values:
        parts.append(f"{_of(stood, seen.values)} stood at {spelled(place)}")
    if seen.said >= HINT * seen.values:
        parts.append(f"{seen.said} were said by a user")
    if seen.enumerated:
        parts.append(f"{seen.enumerated} are values that its schema lists")
    parts.append(f"{seen.unseen} of {seen.values} stood nowhere")
    candidate = spelled(place) if place and stood >= HINT * seen.values else ""
    if seen.said >= HINT * seen.values and seen.said > stood:
        candidate = "user"
    return Choice("", f"mixed: {', '.join(parts)}", candidate)


def _best_place(seen: ArgumentSeen, tool: str) -> tuple[Place | None, int]:
    """The place of most values; the shortest path, then the first by name, where several have as many."""
    known = [(place, count) for place, count in seen.places.items() if place[0] != tool]
    best = min(known, key=lambda pair: (-pair[1], _steps(pair[0][1]), pair[0]), default=None)
    return best if best is not None else (None, 0)


def _best_tool(seen: ArgumentSeen, tool: str) -> tuple[str, int]:
    known = [(name, count) for name, count in seen.tools.items() if name != tool]
    return min(known, key=lambda pair: (-pair[1], pair[0]), default=("", 0))


def _steps(path: str) -> int:
    return len(paths.parse(path)) if path != ANYWHERE else 0


def _where(place: Place) -> str:
    return "in the text of its results" if place[1] == ANYWHERE else "there"


def _of(count: int, total: int) -> str:
    return f"{count} of {total} values"
