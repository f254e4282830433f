"""Sources: where each argument of a tool comes from, as its author writes it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Literal

from groundwire.authority.reading.patterns import read_pattern
from groundwire.authority.reading.values import (
    Misdeclared,
    read_json_path,
    read_name,
    read_tables,
    show,
    wrong_type,
)
from groundwire.authority.toml_lines import Path
from groundwire.documents.declaration import ArgumentSource

_WORDS: tuple[Literal["user", "free-text", "derived", "list"], ...] = (
    "user",
    "free-text",
    "derived",
    "list",
)
_LIST_OF = "list of "
_LIKE_A_WORD = 0.75
_STEP = re.compile(r"[^\s.\[\]][^.\[\]]*(?:\[\*\])*")
_FORMS = (
    '"tool:$.path", "tool:" (anywhere in its results), "user", "free-text", "derived", "list", '
    '"list of tool:$.path", or a pattern "/…/"'
)


def read_sources(value: object, tool: str, path: Path) -> tuple[ArgumentSource, ...]:
    """One source for each argument that the table names.

    Nested tables are arguments within arguments: `filter.host = "user"` is `"filter.host"`.
    """
    sources: dict[str, ArgumentSource] = {}
    for argument, said, place in _entries(read_tables(value, path), (), path):
        read_argument(argument, place)
        if argument in sources:
            raise Misdeclared(
                "two-sources",
                place,
                f"the argument {show(argument)} has a source already; keep one",
            )
        sources[argument] = read_source(said, argument, tool, place)
    if not sources:
        raise Misdeclared(
            "empty-declaration",
            path,
            "an empty table says nothing; leave it out, or name arguments",
        )
    return tuple(sources.values())


def read_argument(value: object, path: Path) -> str:
    """A dotted path to an argument: `machine`, `filter.hosts[*]`."""
    argument = read_name(value, path)
    if not all(map(_STEP.fullmatch, argument.split("."))):
        raise Misdeclared(
            "bad-argument-path",
            path,
            f"{show(argument)} is no path to an argument; write one such as filter.hosts[*]",
        )
    return argument


def read_source(value: object, argument: str, tool: str, path: Path) -> ArgumentSource:
    """What one text says of where an argument comes from."""
    if isinstance(value, list):
        raise Misdeclared(
            "two-sources", path, "an argument has one source; write a text, one of: " + _FORMS
        )
    if not isinstance(value, str):
        raise wrong_type(f"one of: {_FORMS}", value, path)
    text = read_name(value, path)
    for word in _WORDS:
        if text == word:
            return ArgumentSource(argument=argument, kind=word)
    if text.startswith("/"):
        pattern = read_pattern(text, path)
        return ArgumentSource(argument=argument, kind="pattern", pattern=pattern)
    is_list = text.startswith(_LIST_OF)
    source, at = _read_result(text.removeprefix(_LIST_OF), tool, path)
    return ArgumentSource(
        argument=argument, kind="list" if is_list else "result", tool=source, at=at
    )


def _read_result(text: str, tool: str, path: Path) -> tuple[str, str]:
    name, colon, at = text.partition(":$")
    if not colon:
        name, at = text.removesuffix(":"), ""
        if name == text:
            _refuse_near_words(name, path)
            _refuse_lost_colon(name, path)
    read_name(name, path)
    if name == tool:
        raise Misdeclared(
            "tool-sources-itself",
            path,
            f"a tool cannot be the source of its own arguments: {show(text)}",
        )
    return name, read_json_path(f"${at}", path) if at else ""


def _refuse_near_words(name: str, path: Path) -> None:
    """A word that is nearly one of ours is a slip; as a tool's name it would arm nothing."""
    plain = re.sub(r"[^a-z]", "", name.casefold())
    for word in _WORDS:
        alike = difflib.SequenceMatcher(a=plain, b=word.replace("-", "")).ratio()
        if alike >= _LIKE_A_WORD or name.startswith(word):
            raise Misdeclared(
                "unknown-source",
                path,
                f'{show(name)} is no source; the nearest is "{word}". For the results of a tool of '
                f'this name write "{name}:". Known are {_FORMS}',
            )


def _refuse_lost_colon(name: str, path: Path) -> None:
    """`tool.$.name` is a tool and a path with another mark between; as a name it would arm nothing."""
    tool, dollar, at = name.partition("$")
    if dollar:
        raise Misdeclared(
            "unknown-source",
            path,
            f"{show(name)} is no source: a colon stands between a tool and a path, as in "
            f'"{tool.rstrip(" .:/") or "tool"}:${at}". Known are {_FORMS}',
        )


def _entries(
    table: object, above: tuple[str, ...], path: Path
) -> Iterator[tuple[str, object, Path]]:
    for key, said in read_tables(table, path).items():
        name, place = (*above, key), (*path, key)
        if isinstance(said, dict):
            yield from _entries(said, name, place)
        else:
            yield ".".join(name), said, place
