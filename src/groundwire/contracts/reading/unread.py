"""Parts of a value that are not what was written: found, named by pointer, and put right."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeAlias

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.canon.paths import pointer as pointer_of
from groundwire.contracts.reading.numbers import Rounded
from groundwire.contracts.reading.unreadable import Unreadable

MAX_PARTS = 10_000

_Path: TypeAlias = "tuple[_Path, str | int] | None"
_Step: TypeAlias = str | int


class Settled(msgspec.Struct, frozen=True):
    """A value of plain parts; what of it is not read and why; what its inexact numbers say."""

    value: JSON
    unread: dict[str, str] = {}
    numbers: dict[str, str] = {}


def settle(value: JSON, merging: frozenset[int] = frozenset()) -> Settled:
    """`value` with plain floats for each `Rounded`, and the pointers of what is not read.

    Those are `number-inexact` and, of mappings whose ids are in `merging`, `merge-key`. A part that
    stands in many places is named at each.

    Raises:
        Unreadable: `too-large`, where that names over `MAX_PARTS`.
    """
    unread: dict[str, str] = {}
    numbers: dict[str, str] = {}
    rounded: list[Callable[[], None]] = []
    waiting: list[tuple[JSON, _Path]] = [(value, None)]
    while waiting:
        node, path = waiting.pop()
        if id(node) in merging:
            unread[_spelled(path)] = "merge-key"
        for step, part in _members(node):
            if type(part) is Rounded:
                pointer = _spelled((path, step))
                unread[pointer], numbers[pointer] = "number-inexact", part.text
                rounded.append(partial(_put, node, step, float(part)))
            elif isinstance(part, dict | list):
                waiting.append((part, (path, step)))
        if len(unread) > MAX_PARTS:
            raise Unreadable("too-large", f"Over {MAX_PARTS} parts of the file cannot be read.")
    for put in rounded:
        put()
    if type(value) is Rounded:
        return Settled(float(value), {"": "number-inexact"}, {"": value.text})
    return Settled(value, dict(sorted(unread.items())), numbers)


def _put(holder: JSON, step: _Step, value: float) -> None:
    match holder, step:
        case dict(), str():
            holder[step] = value
        case list(), int():
            holder[step] = value
        case _:
            pass


def _members(node: JSON) -> Iterable[tuple[_Step, JSON]]:
    if isinstance(node, dict):
        return node.items()
    return enumerate(node) if isinstance(node, list) else ()


def _spelled(path: _Path) -> str:
    steps: list[_Step] = []
    while path is not None:
        path, step = path
        steps.append(step)
    return pointer_of(steps[::-1])
