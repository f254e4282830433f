"""Refusals: an error of PostgreSQL or psycopg as one of ours. Its message is never shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import psycopg
from psycopg.conninfo import conninfo_to_dict

from groundwire.documents.sql import GRANTS
from groundwire.errors import GroundwireError
from groundwire.targets.sql import refusing

_BUSY: Final = frozenset({"40001", "40P01", "55P03"})
_TIMED_OUT: Final = "57014"
_WITHOUT: Final = "25001"
_UNBOUND: Final = "08P01"
_HOST: Final = re.compile(r"[A-Za-z0-9_.:,/-]+")
_PORT: Final = re.compile(r"[0-9,]*")
_WHY: Final = {
    "onnection refused": "nothing listens there",
    "No such file": "nothing listens there",
    "resolve host": "no such host",
    "translate host": "no such host",
    "timeout": "no answer in time",
    "authentication failed": "user or password was not accepted",
    "no password supplied": "a password is missing",
    "pg_hba": "the server lets nobody in from here so",
    "database ": "there is no such database, or nobody may connect to it",
}
"""Words in what libpq says, of which the first that is found counts, and what they mean."""
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")


def refusal_of(error: psycopg.Error, seconds: float) -> GroundwireError:
    """Why nothing of the statement stands."""
    code = error.sqlstate
    if code is None:
        if isinstance(error, psycopg.OperationalError):
            return refusing.unreachable(word_of(error))
        return refusing.misfit("What the placeholders stand for does not fit the statement")
    if code in _BUSY:
        return refusing.busy(word_of(error))
    if code == _TIMED_OUT:
        return refusing.timed_out(seconds)
    if code == _UNBOUND:
        return refusing.misfit("What the placeholders stand for does not fit the statement")
    if code == _WITHOUT:
        return refusing.refused("It runs in no transaction")
    if code.startswith(("08", "57P", "53")) or code == "25P03":
        return refusing.unreachable(word_of(error))
    return refusing.failed(word_of(error))


def refusal_of_commit(error: psycopg.Error, seconds: float) -> GroundwireError:
    """Why a commit did not take place; or that nobody can say whether it did."""
    code = error.sqlstate
    if code is None or code.startswith(("08", "57P")):
        return refusing.unsettled(word_of(error))
    if code == "23505" and error.diag.table_name == GRANTS:
        return refusing.used()
    return refusal_of(error, seconds)


def why_not_connected(dsn: str, error: Exception) -> str:
    """Where it was tried, and which of the commonest failures it is, in words of our own.

    A message may quote a user or a secret of the DSN, and so may a DSN that cannot be read.
    """
    try:
        asked = conninfo_to_dict(dsn)
    except psycopg.Error:
        return "the DSN cannot be read: it is no `postgresql://…` and no `host=… dbname=…`"
    where = _place(asked)
    said = next((ours for theirs, ours in _WHY.items() if theirs in str(error)), "")
    told = f"{said or 'no answer that is known here'}, {type(error).__name__}"
    return f"{where}: {told}" if where else told


def _place(asked: Mapping[str, object]) -> str:
    """Host and port; "" where they may be pieces of a password that has `@` or `/` in it."""
    host, port = (str(asked.get(key) or "") for key in ("host", "port"))
    host = str(asked.get("hostaddr") or host)
    others = "".join(f"{each}" for key, each in asked.items() if key != "password")
    if "@" in others or not _HOST.fullmatch(host) or not _PORT.fullmatch(port):
        return ""
    return f"{host} port {port}" if port else host


def word_of(error: psycopg.Error) -> str:
    """The code with its name, and which thing it is about where its name is a plain one."""
    about = error.diag.constraint_name or error.diag.column_name or error.diag.table_name or ""
    word = f"{error.sqlstate} {type(error).__name__}" if error.sqlstate else type(error).__name__
    return f"{word}, {about}" if _NAME.fullmatch(about) else word
