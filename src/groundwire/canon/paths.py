"""Paths: a small kind of JSON path, and the values of a document that it leads to.

`$` is the document, then steps: `.name`, `['any name']` or `["any name"]` (inside quotes a
backslash keeps the next character), `[3]`, and `[*]` for every element of a list. Nothing else:
no wildcards over names, no slices, no filters, no `..`. A subset of RFC 9535.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.errors import EncodingError

MAX_CHARACTERS: Final = 1024
MAX_STEPS: Final = 32
MOST_FOUND: Final = 1_000_000


class Each(msgspec.Struct, frozen=True):
    """The step `[*]`: every element of a list."""


Step: TypeAlias = str | int | Each
Steps: TypeAlias = tuple[Step, ...]

EACH: Final = Each()
_PLAIN_NAME: Final = r"[^\s.\[\]'\"\\,:;?@$*()]+"
_STEP = re.compile(
    rf"\.(?P<name>{_PLAIN_NAME})"
    r"|\[(?P<index>0|[1-9][0-9]{0,8})\]"
    r"|\[(?P<each>\*)\]"
    r"""|\['(?P<single>(?:[^'\\]|\\.)*)'\]"""
    r"""|\["(?P<double>(?:[^"\\]|\\.)*)"\]""",
    re.ASCII | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_IS_PLAIN = re.compile(_PLAIN_NAME)


@lru_cache(maxsize=1024)
def parse(path: str) -> Steps:
    """The steps of a path; `$` alone has none.

    Raises:
        EncodingError: `bad-json-path`: it is no path of this kind, has over `MAX_CHARACTERS`
            characters or over `MAX_STEPS` steps. The message says at which character.
    """
    if not path.startswith("$"):
        raise _bad(path, 0, "a path begins with $")
    if len(path) > MAX_CHARACTERS:
        raise _bad(path, MAX_CHARACTERS, f"it has over {MAX_CHARACTERS} characters")
    steps: list[Step] = []
    at = 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            raise _bad(path, at, "a step is .name, ['name'], [*] or [number]")
        if len(steps) == MAX_STEPS:
            raise _bad(path, at, f"it has over {MAX_STEPS} steps")
        steps.append(_step(found))
        at = found.end()
    return tuple(steps)


def spelled(steps: Sequence[Step]) -> str:
    """The one spelling of these steps; `parse` gives them again, where there are not too many."""
    return "$" + "".join(map(_spelled, steps))


def pointer(keys: Sequence[str | int]) -> str:
    """The JSON pointer (RFC 6901) of these keys and places."""
    return "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in keys)


def follow(value: JSON, path: str) -> Iterator[tuple[str, JSON]]:
    """Every value that the path leads to, with its JSON pointer, in the document's order.

    Nothing where it leads nowhere. At most `MOST_FOUND` values, each when it is asked for.

    Raises:
        EncodingError: `bad-json-path`.
    """
    return _follow(value, parse(path), [], [MOST_FOUND])


def values_at(value: JSON, path: str) -> list[JSON]:
    """The values that the path leads to, in the document's order; see `follow`.

    Raises:
        EncodingError: `bad-json-path`.
    """
    return [found for _, found in follow(value, path)]


@lru_cache(maxsize=1024)
def pointers(path: str) -> re.Pattern[str]:
    """What matches, whole, the JSON pointers that the path can lead to in any document.

    Raises:
        EncodingError: `bad-json-path`.
    """
    return re.compile(
        "".join(
            "/[0-9]+" if isinstance(step, Each) else re.escape(pointer((step,)))
            for step in parse(path)
        )
    )


def _follow(
    value: JSON, steps: Steps, keys: list[str | int], left: list[int]
) -> Iterator[tuple[str, JSON]]:
    if not steps:
        left[0] -= 1
        yield pointer(keys), value
        return
    for key, inner in _entered(value, steps[0]):
        if left[0] <= 0:
            return
        keys.append(key)
        yield from _follow(inner, steps[1:], keys, left)
        keys.pop()


def _entered(value: JSON, step: Step) -> Iterator[tuple[str | int, JSON]]:
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    match step:
        case str():
            if isinstance(value, Mapping) and step in value:
                yield step, value[step]
        case int():
            if is_list and isinstance(value, Sequence) and step < len(value):
                yield step, value[step]
        case Each():
            if is_list and isinstance(value, Sequence):
                yield from enumerate(value)


def _step(found: re.Match[str]) -> Step:
    if found["each"]:
        return EACH
    if found["index"]:
        return int(found["index"])
    if found["name"]:
        return found["name"]
    quoted = found["single"] if found["single"] is not None else found["double"]
    return _ESCAPE.sub(r"\1", quoted)


def _spelled(step: Step) -> str:
    match step:
        case Each():
            return "[*]"
        case int():
            return f"[{step}]"
        case str():
            if _IS_PLAIN.fullmatch(step):
                return f".{step}"
            escaped = step.replace("\\", "\\\\").replace("'", "\\'")
            return f"['{escaped}']"


def _bad(path: str, at: int, why: str) -> EncodingError:
    shown = repr(path[:60] + ("…" if len(path) > 60 else ""))
    return EncodingError(
        "bad-json-path",
        f"{shown} is no path, at character {at + 1}: {why}; write one such as $.items[*].name",
    )
