"""Parts of a value that are not what was written: found, named by pointer, and put right."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeAlias

from groundwire.canon.jcs import JSON
from groundwire.canon.paths import pointer
from groundwire.contracts.reading.numbers import Rounded
from groundwire.contracts.reading.unreadable import Unreadable

MAX_PARTS = 10_000

_Path: TypeAlias = "tuple[_Path, str | int] | None"
_Step: TypeAlias = str | int


def settle(value: JSON, merging: frozenset[int] = frozenset()) -> tuple[JSON, dict[str, str]]:
    """`value` with plain floats for each `Rounded`, and the pointers of what is not read.

    Those are `number-inexact` and, of mappings whose ids are in `merging`, `merge-key`. A part that
    stands in many places is named at each.

    Raises:
        Unreadable: `too-large`, where that names over `MAX_PARTS`.
    """
    unread: dict[str, str] = {}
    rounded: list[Callable[[], None]] = []
    waiting: list[tuple[JSON, _Path]] = [(value, None)]
    while waiting:
        node, path = waiting.pop()
        if id(node) in merging:
            unread[_spelled(path)] = "merge-key"
        for step, part in _members(node):
            if type(part) is Rounded:
                unread[_spelled((path, step))] = "number-inexact"
                rounded.append(partial(_put, node, step, float(part)))
            elif isinstance(part, dict | list):
                waiting.append((part, (path, step)))
        if len(unread) > MAX_PARTS:
            raise Unreadable("too-large", f"Over {MAX_PARTS} parts of the file cannot be read.")
    for put in rounded:
        put()
    if type(value) is Rounded:
        return float(value), {"": "number-inexact"}
    return value, dict(sorted(unread.items()))


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
    return pointer(steps[::-1])
