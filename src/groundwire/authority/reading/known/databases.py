"""Keys of `[databases.NAME]`: databases that tools run statements in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from groundwire.authority.reading.known.key import Key

DATABASES: Final[Mapping[str, Mapping[str, Key]]] = {
    "databases.<name>": {
        "dialect": Key('`"sqlite"` or `"postgresql"`', "must be given", "which database it is"),
        "path": Key(
            "path", "none", "of SQLite, and only there: the file, from the policy's folder"
        ),
        "dsn_from": Key(
            "name of an environment variable",
            "none",
            "of PostgreSQL, and only there: the variable that holds how to reach it; no secret"
            " stands in a policy",
        ),
        "rows_shown": Key(
            "whole number, 0 to 1000",
            "`20`",
            "so many changed rows of each table are shown, as they were and as they become",
        ),
        "environment": Key(
            "environment",
            "none",
            "where you believe it to be: a statement is asked about where its name is of another",
        ),
        "functions": Key(
            "list of functions",
            "none",
            "its own whose effects a transaction undoes, all of them: statements may call them, and"
            " are judged by the rows that change",
        ),
    },
}
"""Every key of a declaration about a database, by the table it stands in."""
