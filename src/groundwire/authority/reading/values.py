"""Values: the readers that every declaration is read with.

Every reader takes the value that stood in the text and the path it stood at. None of them fills
in for a value that is there and wrong.
"""

from __future__ import annotations

import datetime
import difflib
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias, TypeVar

from groundwire.authority.reading.keys import KEYS
from groundwire.authority.toml_lines import Path
from groundwire.canon import paths
from groundwire.errors import EncodingError

Table: TypeAlias = Mapping[str, object]
Choice = TypeVar("Choice", bound=str)
Read = TypeVar("Read")

MAX_NAME = 1024
"""Characters in a name, path or address: a longer one is a paste that went wrong."""

MAX_ENTRIES = 1000
"""Entries in one list: a longer one is data, not a declaration."""

_UNSEEN = frozenset({"Cc", "Cs", "Zl", "Zp"})


class Misdeclared(Exception):
    """A value that cannot be what was meant; `path` is where it stands."""

    def __init__(self, reason: str, path: Path, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.path = path


def read_table(value: object, kind: str, path: Path) -> Table:
    """A table all of whose keys are known ones of `kind`."""
    table = read_tables(value, path)
    for key in table:
        if key not in KEYS[kind]:
            raise _unknown_key(key, kind, (*path, key))
    return table


def read_tables(value: object, path: Path) -> Table:
    """A table whose keys are names of the author's own."""
    if not isinstance(value, Mapping):
        raise wrong_type("a table", value, path)
    for key in value:
        if not isinstance(key, str):
            raise wrong_type("a table whose keys are texts", value, path)
    return value


def demand(table: Table, keys: Iterable[str], what: str, path: Path) -> None:
    """The table has all of these keys."""
    for key in keys:
        if key not in table:
            raise Misdeclared("missing-setting", path, f"{what} needs '{key}'")


def read_choice(value: object, choices: tuple[Choice, ...], path: Path) -> Choice:
    """The one of `choices` that `value` is."""
    for choice in choices:
        if isinstance(value, str) and value == choice:
            return choice
    listed = " or ".join(f'"{choice}"' for choice in choices)
    raise Misdeclared("unknown-choice", path, f"must be {listed}, not {show(value)}")


def read_flag(value: object, path: Path) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise wrong_type("true or false", value, path)
    return value


def read_count(value: object, least: int, most: int, path: Path) -> int:
    """A whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(f"a whole number from {least} to {most}", value, path)
    if not least <= value <= most:
        raise Misdeclared(
            "out-of-range", path, f"must be from {least} to {most}, not {show(value)}"
        )
    return value


def read_name(value: object, path: Path) -> str:
    """A text of one line that begins and ends with something to see."""
    if not isinstance(value, str):
        raise wrong_type("a text", value, path)
    if not value or value != value.strip():
        raise Misdeclared(
            "blank-name", path, f"must not be empty nor begin or end with a blank: {show(value)}"
        )
    if len(value) > MAX_NAME or any(unicodedata.category(c) in _UNSEEN for c in value):
        raise Misdeclared(
            "bad-name",
            path,
            f"must be one line of at most {MAX_NAME} characters without control characters",
        )
    return value


def read_inside(value: object, path: Path) -> str:
    """A path below the working folder."""
    name = read_name(value, path)
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or any(part in {"", ".", ".."} for part in parts):
        raise Misdeclared(
            "bad-path",
            path,
            f"must be a path below the working folder, as a/b.json, not {show(name)}",
        )
    return name


def read_json_path(value: object, path: Path) -> str:
    """A path into a result, in its one spelling."""
    text = read_name(value, path)
    try:
        return paths.spelled(paths.parse(text))
    except EncodingError as error:
        raise Misdeclared(error.reason, path, error.message) from error


def read_day(value: object, path: Path) -> str:
    """A day as `YYYY-MM-DD`, whether it was written as a TOML date or as a text."""
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value.isoformat()
    try:
        if isinstance(value, str) and len(value) == len("2031-01-31"):
            return datetime.date.fromisoformat(value).isoformat()
    except ValueError:
        pass
    raise wrong_type("a day such as 2031-01-31", value, path)


def read_array(value: object, path: Path) -> list[object]:
    """A list of a size that a person writes."""
    if not isinstance(value, list):
        raise wrong_type("a list", value, path)
    if len(value) > MAX_ENTRIES:
        raise Misdeclared("out-of-range", path, f"has over {MAX_ENTRIES} entries")
    return value


def read_entries(
    value: object,
    path: Path,
    read: Callable[[object, Path], Read],
    why_empty: str,
) -> tuple[Read, ...]:
    """A list of one or more entries, none of them twice, each read by `read`."""
    entries: list[Read] = []
    for index, element in enumerate(read_array(value, path)):
        entry = read(element, (*path, index))
        if entry in entries:
            raise Misdeclared(
                "repeated-entry", (*path, index), f"{show(entry)} stands twice; keep one"
            )
        entries.append(entry)
    if not entries:
        raise Misdeclared("empty-declaration", path, why_empty)
    return tuple(entries)


def read_listed_tables(value: object, header: str, path: Path) -> list[object]:
    """The tables of `[[header]]`."""
    if isinstance(value, Mapping):
        raise Misdeclared("wrong-type", path, f"must be a list of tables: write [[{header}]]")
    return read_array(value, path)


def show(value: object) -> str:
    """`value` as a message may quote it: on one line and short."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def wrong_type(wanted: str, value: object, path: Path) -> Misdeclared:
    """What to raise for a value that is of another kind than `wanted`."""
    return Misdeclared("wrong-type", path, f"must be {wanted}, not {show(value)}")


def nearest(name: str, known: Iterable[str]) -> str:
    """The one of `known` that is most like `name`; empty where there is none."""

    def likeness(candidate: str) -> float:
        return difflib.SequenceMatcher(
            a=name.casefold()[:MAX_NAME], b=candidate.casefold()[:MAX_NAME]
        ).ratio()

    return max(known, key=likeness, default="")


def _unknown_key(key: str, kind: str, path: Path) -> Misdeclared:
    place = f"[{kind}]" if kind else "the top level"
    home, near = _nearest_key(key, kind)
    elsewhere = "" if home == kind else f" in [{home}]" if home else " at the top level"
    return Misdeclared(
        "unknown-setting",
        path,
        f"there is no key {show(key)} in {place}; the nearest is '{near}'{elsewhere}. "
        f"Known in {place}: {', '.join(KEYS[kind])}",
    )


def _nearest_key(key: str, kind: str) -> tuple[str, str]:
    """The known key most like `key`, one of the same table when in doubt."""

    def likeness(candidate: tuple[str, str]) -> float:
        table, name = candidate
        ratio = difflib.SequenceMatcher(a=key.casefold()[:MAX_NAME], b=name).ratio()
        # A slip of one letter here is likelier than a key of another table.
        return ratio + (0.2 if table == kind else 0.0)

    candidates = [(table, name) for table, names in KEYS.items() for name in names]
    return max(candidates, key=likeness)
