"""MigrationEngine: a new migration that only makes indexes changes nothing that anybody relies on."""

from __future__ import annotations

import re
from typing import Final

from groundwire.authority.ruling.engine import Beside, Judgement

KIND: Final = "sql-migration"
_LARGEST: Final = 64 * 1024
_COMMENT: Final = re.compile(r"--[^\n]*(?:\n|\Z)")
_NAME: Final = r'(?:[A-Za-z_][A-Za-z0-9_]*|"[A-Za-z0-9_ ]+")'
_INDEX: Final = re.compile(
    rf"CREATE\s+INDEX\s+(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?{_NAME}\s+ON\s+{_NAME}(?:\.{_NAME})?\s*"
    rf"\(\s*{_NAME}(?:\s+(?:ASC|DESC))?(?:\s*,\s*{_NAME}(?:\s+(?:ASC|DESC))?)*\s*\)",
    re.IGNORECASE,
)


class MigrationEngine:
    """Judges a migration by its text. Knows plain indexes of columns, and is undecided about the rest.

    An index that has to be unique refuses rows, and one of an expression may fail: both are undecided.
    Does not know how long the table is locked.
    """

    version = "groundwire-migrations/1"

    def judge(
        self,
        before: bytes | None,
        after: bytes | None,
        beside: Beside | None = None,  # noqa: ARG002 -- the port has it
    ) -> Judgement:
        """As `Engine.judge`."""
        if before is None and after is not None and _only_indexes(after):
            return Judgement("compatible", ("index-added",), "it only adds indexes")
        return Judgement("undecided", says="no engine judges what a migration does")


def _only_indexes(content: bytes) -> bool:
    try:
        text = content.decode("ascii") if len(content) <= _LARGEST else ""
    except UnicodeDecodeError:
        return False
    if "\r" in text.replace("\r\n", "\n"):  # one ends a comment for some readers, and not here
        return False
    statements = [each.strip() for each in _COMMENT.sub(" ", text).split(";")]
    made = [each for each in statements if each]
    return bool(made) and all(map(_INDEX.fullmatch, made))
