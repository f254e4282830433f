"""Path templates by their shape: what a variable is called makes no difference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Generic, TypeVar

MAX_LITERAL = 1_000
_Item = TypeVar("_Item")
_VARIABLE = re.compile(r"\{([^{}/]*)\}")


@lru_cache(maxsize=4_096)
def shape(template: str) -> str:
    """The template with its variables nameless: `/users/{}/keys/{}`."""
    return _VARIABLE.sub("{}", template)


def variables(template: str) -> tuple[str, ...]:
    """The names of the template's variables, in their order."""
    return tuple(_VARIABLE.findall(template))


def filled(template: str, values: Mapping[str, str]) -> str:
    """The path with the text of each variable put in; one without stays in braces."""
    return _VARIABLE.sub(lambda found: values.get(found[1], found[0]), template)


def values_in(template: str, path: str) -> dict[str, str] | None:
    """What the variables of `template` stand for in `path`, itself without any; None if it differs.

    A variable stands for anything but nothing, within one segment; of two in one segment the
    first for as little as it can.
    """
    texts: list[str] = []
    wanted, given = template.split("/"), path.split("/")
    if "{" in path or len(wanted) != len(given):
        return None
    for pattern, segment in zip(wanted, given, strict=True):
        found = _texts(_VARIABLE.split(pattern)[::2], segment)
        if found is None:
            return None
        texts += found
    return dict(zip(variables(template), texts, strict=True))


def _texts(literals: list[str], segment: str) -> list[str] | None:
    """What stands between `literals` in `segment`, in time linear in both."""
    first, *others = literals
    if not others:
        return [] if segment == first else None
    *middle, last = others
    end = len(segment) - len(last)
    if not segment.startswith(first) or not segment.endswith(last):
        return None
    texts: list[str] = []
    start = len(first)
    for literal in middle:
        found = segment.find(literal, start + 1, end)
        if found < 0:
            return None
        texts.append(segment[start:found])
        start = found + len(literal)
    return [*texts, segment[start:end]] if start < end else None


class Templates(Generic[_Item]):
    """Templates with variables, found by a path that they may take: by how both begin and end."""

    def __init__(self, items: Iterable[tuple[str, _Item]]) -> None:
        self._ends: dict[str, dict[str, list[_Item]]] = {}
        for template, item in items:
            if "{" in template:
                first, last = template.partition("{")[0], template.rpartition("}")[2]
                self._ends.setdefault(first, {}).setdefault(last, []).append(item)

    def near(self, path: str) -> Iterator[_Item]:
        """Those that may take `path`, of which it is not known whether they do.

        Of a very long path, only those that begin and end shortly.
        """
        bound = min(len(path), MAX_LITERAL)
        for length in range(bound + 1):
            ends = self._ends.get(path[:length])
            for other in range(bound + 1) if ends else ():
                yield from (ends or {}).get(path[len(path) - other :], ())


def literal_length(template: str) -> int:
    """How much of the template is no variable: of two that take a path, the more says more."""
    return len(_VARIABLE.sub("", template))
