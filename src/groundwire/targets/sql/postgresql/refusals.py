"""Refusals: an error of PostgreSQL or psycopg as one of ours. Its message is never shown."""

from __future__ import annotations

import re
from typing import Final

import psycopg

from groundwire.documents.sql import GRANTS
from groundwire.errors import GroundwireError
from groundwire.targets.sql import refusing

_BUSY: Final = frozenset({"40001", "40P01", "55P03"})
_TIMED_OUT: Final = "57014"
_WITHOUT: Final = "25001"
_UNBOUND: Final = "08P01"
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


def word_of(error: psycopg.Error) -> str:
    """The code with its name, and which thing it is about where its name is a plain one."""
    about = error.diag.constraint_name or error.diag.column_name or error.diag.table_name or ""
    word = f"{error.sqlstate} {type(error).__name__}" if error.sqlstate else type(error).__name__
    return f"{word}, {about}" if _NAME.fullmatch(about) else word
