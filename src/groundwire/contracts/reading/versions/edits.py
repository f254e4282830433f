"""A JSON text that differs in one part from one that was read: only that part is read anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.reading.json_places import Places, Span
from groundwire.contracts.reading.json_text import MAX_CONTAINERS, MAX_DEPTH, read_json
from groundwire.contracts.reading.unreadable import Unreadable

# Of texts that are smaller nothing is saved.
LEAST: Final = 1 << 16
# So many steps from the root the part lies at most: what is read anew is all below.
DEEPEST: Final = 4
_BLOCK: Final = 1 << 16


class Edited(msgspec.Struct, frozen=True):
    """The new value; `part` stands in it at `path`, and all else is of the old value itself."""

    value: JSON
    path: tuple[str, ...]
    part: JSON


def read_edited(old: bytes, value: JSON, places: Places, new: bytes) -> Edited | None:
    """The value of `new`, by way of `old`, of which the value and the places are known.

    None where that is not the shorter way, or where what is new is no JSON: then `new` has to be
    read as a whole. `old` has to be JSON in which no key stands twice, with at most `MAX_CONTAINERS` objects and
    arrays and no number that a float is not. Nothing of the old value is written into.
    """
    if min(len(old), len(new)) < LEAST:
        return None
    begins, ends = _changed(old, new)
    for path, span in reversed(_around(places, begins, len(old) - ends)):
        part = new[span.start : span.end + len(new) - len(old)]
        if len(part) > len(new) // 2:
            return None
        try:
            settled = read_json(part)
        except Unreadable:
            continue
        if settled.unread or _is_too_deep(settled.value, MAX_DEPTH - len(path)):
            return None
        if old.count(b"{") + old.count(b"[") + part.count(b"{") + part.count(b"[") > MAX_CONTAINERS:
            return None
        return Edited(_put(value, path, settled.value), path, settled.value)
    return None


def _changed(old: bytes, new: bytes) -> tuple[int, int]:
    """How many bytes are the same at the beginning, and of the rest at the end."""
    most = min(len(old), len(new))
    begins = most
    for at in range(0, most, _BLOCK):
        end = min(at + _BLOCK, most)
        if old[at:end] != new[at:end]:
            begins = at + _first_apart(old[at:end], new[at:end])
            break
    rest = most - begins
    for at in range(0, rest, _BLOCK):
        end = min(at + _BLOCK, rest)
        ours = old[len(old) - end : len(old) - at]
        theirs = new[len(new) - end : len(new) - at]
        if ours != theirs:
            return begins, at + _first_apart(ours[::-1], theirs[::-1])
    return begins, rest


def _first_apart(one: bytes, other: bytes) -> int:
    """The first place at which two texts of one length differ."""
    return next(at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)


def _around(places: Places, begins: int, ends: int) -> list[tuple[tuple[str, ...], Span]]:
    """The members around what changed between two bytes of the old text, from the outermost on."""
    found: list[tuple[tuple[str, ...], Span]] = []
    path: tuple[str, ...] = ()
    while len(path) < DEEPEST:
        members = places.members(path)
        inner = next(
            (name for name, each in members.items() if each.start <= begins and ends <= each.end),
            None,
        )
        if inner is None:
            break
        path = (*path, inner)
        found.append((path, members[inner]))
    return found


def _put(value: JSON, path: Sequence[str], part: JSON) -> JSON:
    """The value with another part at `path`; what does not lie on the way is the same object."""
    if not path:
        return part
    match value:
        case dict():
            return {**value, path[0]: _put(value[path[0]], path[1:], part)}
        case list():
            at = int(path[0])
            return [*value[:at], _put(value[at], path[1:], part), *value[at + 1 :]]
        case _:
            raise LookupError(path[0])


def _is_too_deep(value: JSON, most: int) -> bool:
    """Whether more objects and arrays than `most` are inside of one another."""
    level = [value]
    for _ in range(most):
        below: list[JSON] = []
        for each in level:
            if isinstance(each, dict):
                below += each.values()
            elif isinstance(each, list):
                below += each
        level = below
    return any(isinstance(each, dict | list) for each in level)
