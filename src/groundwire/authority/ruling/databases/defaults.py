"""Defaults: groundwire's own word on each aspect of a statement, and what a rule has to speak of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from groundwire.authority.ruling.databases.aspects import Concerns, StatementAspect
from groundwire.authority.ruling.word import Default
from groundwire.contracts.sql.judging import MANY
from groundwire.documents.governing import Rule
from groundwire.documents.sql import RuleStatement

_BY_CONCERN: Final[Mapping[Concerns, Default]] = {
    "protected": Default(
        "default/protected-table", "deny", "a table that no guarded tool touches", firm=True
    ),
    "ends-transaction": Default(
        "default/ends-transaction", "deny", "it leaves the transaction that holds it", firm=True
    ),
    "other-environment": Default(
        "default/other-environment", "approve", "another environment than declared", firm=True
    ),
    "all-rows": Default("default/few-rows", "allow", "each kind of change is judged by itself"),
    "undecided": Default("default/undecided-statement", "approve", "nobody can tell what it does"),
    "non-atomic": Default("default/non-atomic", "approve", "no transaction holds it"),
    "schema": Default("default/schema-change", "approve", "a definition changes"),
    "grant": Default("default/grant", "approve", "who may do what changes"),
    "every-row": Default("default/every-row", "approve", "every row of a table"),
    "many-rows": Default("default/many-rows", "approve", f"more than {MANY} rows"),
    "unread-rows": Default("default/unread-rows", "approve", "rows that could not be read"),
}
_BY_STATEMENT: Final[Mapping[RuleStatement, Default]] = {
    **dict.fromkeys(
        ("insert", "update", "delete", "merge"),
        Default("default/statement", "allow", "judged by the rows that it changes"),
    ),
    **dict.fromkeys(
        ("update-all", "delete-all"), Default("default/every-row", "approve", "without a condition")
    ),
    "truncate": Default("default/every-row", "approve", "it empties the table"),
    **dict.fromkeys(("create", "alter", "drop"), _BY_CONCERN["schema"]),
    "grant": _BY_CONCERN["grant"],
    "copy": Default("default/copy", "approve", "it reads or writes files of the server"),
}
_OTHER: Final = Default("default/other-statement", "approve", "no plain change of rows")
_FEW: Final = Default(
    "default/few-rows", "allow", "not in production; whether they are all is judged by itself"
)
_COUNTED: Final = Default(
    "default/counted-rows", "allow", "not in production; how many they are is judged by itself"
)
_PRODUCTION: Final = Default("default/production-rows", "approve", "rows of production")


def default_of_statement(aspect: StatementAspect) -> Default:
    """The word that holds where no rule of the policy speaks of the aspect, with what was seen."""
    default = _default_of(aspect)
    return msgspec.structs.replace(default, says=f"{default.says}: {aspect.says}")


def _default_of(aspect: StatementAspect) -> Default:
    few = (aspect.rows or 0) <= MANY
    if aspect.concerns == "all-rows" and not few:
        return _COUNTED
    if aspect.concerns == "rows":
        if aspect.production:
            return _PRODUCTION
        return _FEW if few else _COUNTED
    if aspect.concerns == "statement":
        return _BY_STATEMENT.get(aspect.statements[0], _OTHER)
    return _BY_CONCERN[aspect.concerns]


def takes_place_of_statement(rule: Rule, aspect: StatementAspect) -> bool:
    """Whether a rule that speaks of the aspect was made with it in mind.

    What is more than a change of rows has to be named by `statements`, many rows by `rows_over`, rows
    of production by `environments`.
    """
    match aspect.concerns:
        case "rows":
            return bool(rule.environments) or not aspect.production
        case "many-rows":
            return rule.rows_over is not None
        case _:
            return bool(rule.statements)
