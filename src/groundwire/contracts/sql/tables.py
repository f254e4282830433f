"""Tables: whether a pattern names a table, as `documents.sql.spelled_table` spells it.

A pattern is `orders`, `orders*` or `audit.*`: `*` is any characters of one name, `?` one of them.
Without a stop it is of the table in every schema; what stands in `public` or `main` has that name too.
Case does not matter, quotes are left out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from groundwire.documents.sql import HOME

_PART: Final = re.compile(r'"((?:[^"]|"")*)"|([^".]+)')
_PATTERN: Final = re.compile(r"[^.]+(?:\.[^.]+)?")
_LONGEST: Final = 256
_MOST_STARS: Final = 8


def is_pattern(text: str) -> bool:
    """Whether the text is a pattern of tables: one name or two with a stop between, few stars."""
    return (
        len(text) <= _LONGEST
        and text.count("*") <= _MOST_STARS
        and _PATTERN.fullmatch(text) is not None
        and '"' not in text
    )


def names(table: str) -> tuple[str, str]:
    """Schema and table of a spelled name, without quotes; the schema is "" where it is not said."""
    parts = [quoted.replace('""', '"') or plain for quoted, plain in _PART.findall(table)]
    return (parts[-2] if len(parts) > 1 else "", parts[-1] if parts else "")


@lru_cache(maxsize=4096)
def is_table(table: str, pattern: str) -> bool:
    """Whether the pattern names the table. Names no table where none is said."""
    if not table:
        return False
    schema, name = (part.casefold() for part in names(table))
    of_schema, stop, of_name = pattern.casefold().rpartition(".")
    if _compiled(of_name).fullmatch(name) is None:
        return False
    schemas = {schema} if schema else HOME
    return not stop or any(_compiled(of_schema).fullmatch(each) for each in schemas)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    pieces = re.split(r"(\*+|\?)", pattern)
    return re.compile(
        "".join(
            ".*" if piece.startswith("*") else "." if piece == "?" else re.escape(piece)
            for piece in pieces
        ),
        re.DOTALL,
    )
