"""Standing: whether an approval that was given beforehand covers a call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from groundwire.documents.approval import Standing
from groundwire.documents.question import Question

Terms: TypeAlias = bytes
LONGEST: Final = 4096
"""An argument with more characters fits no pattern."""

_PIECES: Final = re.compile(r"\*\*|[^*]|\*", re.DOTALL)


def covers(standing: Standing, question: Question, arguments: Mapping[str, object]) -> bool:
    """Whether the call is one of those that the approver had in mind, at whatever time.

    `arguments` are the real ones, decoded. An argument that is named has to be text that its
    pattern covers whole, as it is spelt: `*` stands for anything without `/`, `**` for anything, `?`
    for one character but `/`. A text with a `..` between slashes fits none.
    """
    asked = question.asked
    return (
        standing.tool == question.tool
        and question.effect in standing.effects
        and asked.environment in standing.environments
        and asked.operation in standing.operations
        and all(_fits(arguments.get(each.name), each.pattern) for each in standing.arguments)
    )


def terms_of(standing: Standing) -> Terms:
    """What was approved, whoever did and since when: two people approve one thing where it is equal."""
    alike = msgspec.structs.replace(standing, approver="", at="", since="")
    return msgspec.json.encode(alike, order="deterministic")


def enough(standings: Sequence[Standing], names: Mapping[str, str], needed: int) -> bool:
    """Whether as many different people have said so as have to; `names` are theirs by key."""
    return len({names[each.approver] for each in standings if each.approver in names}) >= needed


def _fits(value: object, pattern: str) -> bool:
    """In time that grows with the product of both lengths, whatever an agent puts there."""
    if not isinstance(value, str) or len(value) > LONGEST or ".." in value.split("/"):
        return False
    pieces = _PIECES.findall(pattern)
    places = _onwards({0}, pieces)
    for character in value:
        places = _onwards(_moved(places, pieces, character), pieces)
        if not places:
            return False
    return len(pieces) in places


def _moved(places: set[int], pieces: Sequence[str], character: str) -> set[int]:
    """Where in the pattern one may stand behind the character."""
    found = set()
    for place in places:
        piece = pieces[place] if place < len(pieces) else ""
        if piece == "**" or (piece == "*" and character != "/"):
            found.add(place)
        elif piece == character or (piece == "?" and character != "/"):
            found.add(place + 1)
    return found


def _onwards(places: set[int], pieces: Sequence[str]) -> set[int]:
    """These places, and those behind stars that stand for nothing."""
    found = set(places)
    for place in places:
        at = place
        while at < len(pieces) and pieces[at] in ("*", "**"):
            at += 1
            found.add(at)
    return found
