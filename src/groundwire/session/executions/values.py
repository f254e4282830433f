"""Values: whatever a tool ran with or returned, as text. Nothing here ever fails.

A value is a stranger's: it may be infinite, cyclic, huge, or raise when it is looked at.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

Reason: TypeAlias = Literal["", "no-json", "no-text", "too-large"]
Rendering: TypeAlias = Literal["text", "json", "repr"]

# Of one execution no more than this is recorded, in characters.
LARGEST = 16_000_000
_DEEPEST = 200
_MOST = 1_000_000
# A `repr` that says of an object no more than its type and where it lies.
_ADDRESS = re.compile(r"<.* at 0x([0-9a-fA-F]+)>", re.DOTALL)


class Rendered(msgspec.Struct, frozen=True):
    """A value as text, and how it became that; None where it has none, and `reason` says why."""

    text: str | None
    rendering: Rendering = "json"
    reason: Reason = ""


class _NoJsonError(Exception):
    """The value has no JSON that says the same."""


class _TooLargeError(Exception):
    """More than anybody wants to read."""


class _Budget:
    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = _MOST

    def spend(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise _TooLargeError


def json_of(value: object) -> Rendered:
    """The JSON text of `value`, which says neither more nor less than it.

    A tuple is an array, a dataclass and a pydantic model are objects. NaN and infinity, bytes, keys
    that are no text, sets, and all other objects have no JSON (`no-json`).
    """
    try:
        text = msgspec.json.encode(_plain(value, _DEEPEST, _Budget())).decode()
    except _TooLargeError:
        return Rendered(None, reason="too-large")
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 -- a stranger's value; this is its one door
        return Rendered(None, reason="no-json")
    return Rendered(text) if len(text) <= LARGEST else Rendered(None, reason="too-large")


def arguments_of(value: object) -> Rendered:
    """The JSON of what a tool ran with; a text that is JSON already is taken as it stands."""
    text = str.__str__(value) if isinstance(value, str) else None
    if text is not None and len(text) <= LARGEST and _is_object(text):
        return Rendered(text)
    return json_of(value)


def result_of(value: object) -> Rendered:
    """A result: a text as it is, else its JSON, else its `repr`.

    A `repr` that names the object by its address in memory is no text of it (`no-text`): it is
    another one in each process. Such an object inside of another that has no JSON is not looked for.
    """
    if isinstance(value, str):
        text = str.__str__(value)
        return (
            Rendered(text, "text") if len(text) <= LARGEST else Rendered(None, "text", "too-large")
        )
    rendered = json_of(value)
    if rendered.reason != "no-json":
        return rendered
    try:
        text = repr(value)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 -- as above
        return Rendered(None, "repr", "no-text")
    if len(text) > LARGEST:
        return Rendered(None, "repr", "too-large")
    named = _ADDRESS.fullmatch(text)
    if named is not None and int(named[1], 16) == id(value):
        return Rendered(None, "repr", "no-text")
    return Rendered(text, "repr")


def _is_object(text: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return False


def _plain(value: object, depth: int, budget: _Budget) -> object:
    """The value made of the types that JSON has. Raises for what it has not."""
    budget.spend(1)
    if not depth:
        raise _NoJsonError
    if isinstance(value, str):
        text = str.__str__(value)
        budget.spend(len(text) >> 4)
        return text
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _NoJsonError
        return float(value)
    if isinstance(value, list | tuple):
        return [_plain(each, depth - 1, budget) for each in value]
    if isinstance(value, Mapping):
        return {_key(key): _plain(each, depth - 1, budget) for key, each in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            each.name: _plain(getattr(value, each.name), depth - 1, budget)
            for each in dataclasses.fields(value)
        }
    if callable(dump := getattr(value, "model_dump", None)) and not isinstance(value, type):
        return _plain(dump(mode="json"), depth - 1, budget)
    raise _NoJsonError


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise _NoJsonError
    return str.__str__(key)
