"""Patterns of paths, and names as no file system tells them apart: case and Unicode forms folded.

A pattern is a path with `*` (any characters of one name), `?` (one of them) and `**` (any names,
none among them). One that does not begin with `/` begins anywhere: `.env` is `**/.env`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from groundwire.errors import PolicyError

# What HFS+ passes over in a name: zero-width and direction marks, and the byte order mark.
_PASSED_OVER: Final = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]")
# How Windows spells one name otherwise: trailing dots and blanks, the name of a stream.
_WINDOWS_END: Final = re.compile(r"(?::.*|[. ]+)\Z", re.DOTALL)
_LONGEST: Final = 4096
_MOST_STARS: Final = 12


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """One name as the most forgiving file system compares it.

    Case, Unicode forms, marks without a width, and what Windows passes over at the end. `git~1` is
    what Windows calls `.git` as well. Two files of a stricter system may have one folded name.
    """
    whole = _letters(name)
    short = _WINDOWS_END.sub("", whole) or whole
    return ".git" if short == "git~1" else short


@lru_cache(maxsize=4096)
def folded_path(path: str) -> str:
    """Every name of the path folded, a slash before each."""
    return "".join("/" + folded(part) for part in path.split("/") if part not in {"", "."})


@lru_cache(maxsize=16384)
def is_covered(path: str, pattern: str) -> bool:
    """Whether the pattern names the path or something that it is in, however either is spelled.

    Raises:
        PolicyError: `bad-path-pattern`.
    """
    return _compiled(pattern)[0].search(folded_path(path)) is not None


def covers(patterns: Iterable[str]) -> Callable[[str, str], bool]:
    """Tells of a folder's folded path and a name in it whether one of the patterns covers the name.

    For many names: `is_covered` says the same of each.

    Raises:
        PolicyError: `bad-path-pattern`.
    """
    found = [_compiled(pattern)[0].pattern for pattern in patterns]
    every = re.compile("|".join(f"(?:{each})" for each in found) if found else r"(?!)", re.DOTALL)

    def is_one(folder: str, name: str) -> bool:
        return every.search(f"{folder}/{folded(name)}") is not None

    return is_one


@lru_cache(maxsize=16384)
def is_above(path: str, pattern: str) -> bool:
    """Whether the path itself is a folder in which the pattern could name something.

    Only folders that the pattern spells out: no folder is above for a `**` alone.

    Raises:
        PolicyError: `bad-path-pattern`.
    """
    spelled = folded_path(path)
    return any(above.match(spelled) for above in _compiled(pattern)[1])


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> tuple[re.Pattern[str], tuple[re.Pattern[str], ...]]:
    """What is covered, and what is above."""
    parts = [part for part in pattern.split("/") if part not in {"", "."}]
    if (
        not parts
        or ".." in parts
        or "\0" in pattern
        or len(pattern) > _LONGEST
        or pattern.count("*") > _MOST_STARS
    ):
        raise PolicyError(
            "bad-path-pattern",
            f"{pattern[:80]!r} is no pattern of paths: names with *, ? and **, without `..`, and at"
            f" most {_MOST_STARS} stars.",
        )
    if not pattern.startswith("/"):
        parts.insert(0, "**")
    written = ["(?:/[^/]+)*" if part == "**" else "/" + _name(part) for part in parts]
    # Any names, and then a name: looked for from each name on, which is the same and quicker.
    begins = next((at for at, part in enumerate(parts) if part != "**"), 0)
    start = "" if begins else r"\A"
    covered = re.compile(start + "".join(written[begins:]) + r"(?:/.*)?\Z", re.DOTALL)
    above = [
        re.compile("".join(written[: at + 1]) + r"\Z", re.DOTALL)
        for at, part in enumerate(parts[:-1])
        if part != "**"
    ]
    return covered, tuple(above)


def _name(part: str) -> str:
    if "*" not in part and "?" not in part:
        return re.escape(folded(part))
    pieces = re.split(r"(\*+|\?)", part)
    return "".join(
        "[^/]*" if piece.startswith("*") else "[^/]" if piece == "?" else re.escape(_letters(piece))
        for piece in pieces
    )


def _letters(name: str) -> str:
    return unicodedata.normalize("NFC", _PASSED_OVER.sub("", name).casefold())
