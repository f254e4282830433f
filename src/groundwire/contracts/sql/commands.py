"""Commands: every statement that is no query, told by the words it begins with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from groundwire.contracts.sql.lexing import Token, folded_name, word_set
from groundwire.contracts.sql.sketch import Sketch
from groundwire.documents.sql import Dialect, Part, StatementKind, spelled_table

Read: TypeAlias = Callable[[Sequence[Token], Dialect], Sketch]

# Words that stand between what is done and the name of what it is done to.
_BESIDE: Final = word_set(
    """
    CONCURRENTLY CONSTRAINT DEFAULT EXISTS FOREIGN GLOBAL IF INSTEAD LOCAL MATERIALIZED NOT ONLY OR
    RECURSIVE REPLACE TABLE TEMP TEMPORARY TRUSTED UNIQUE UNLOGGED VIRTUAL
    """
)
_OF_A_TABLE: Final = frozenset({"INDEX", "POLICY", "RULE", "TRIGGER"})
_RIGHTS: Final = word_set(
    """
    GROUP OWNED OWNER POLICY PRIVILEGES ROLE ROW SECURITY USER
    """
)
_OUTSIDE: Final = frozenset({"DATABASE", "SUBSCRIPTION", "SYSTEM", "TABLESPACE"})
"""What no transaction holds, or what holds a whole database."""
_HOLDS_ROWS: Final = frozenset({"TABLE", "VIEW"})

_NO_TABLES: Final = word_set(
    """
    ALL DATABASE DOMAIN FOREIGN FUNCTION LANGUAGE LARGE PARAMETER PROCEDURE ROUTINE SCHEMA SEQUENCE
    TABLESPACE TYPE
    """
)
"""What rights can be on that is no table."""

_SHOWS: Final = word_set(
    """
    application_id collation_list compile_options count_changes data_version database_list encoding
    foreign_key_check foreign_key_list freelist_count function_list index_info index_list index_xinfo
    integrity_check module_list page_count pragma_list quick_check table_info table_list table_xinfo
    """
)
"""Pragmas that only show something, with an argument too."""
_ASKED: Final = word_set(
    """
    auto_vacuum busy_timeout cache_size defer_foreign_keys foreign_keys ignore_check_constraints
    journal_mode journal_size_limit locking_mode max_page_count mmap_size page_size query_only
    recursive_triggers secure_delete synchronous temp_store trusted_schema user_version writable_schema
    """
)
"""Pragmas that only show something where they stand alone."""


def read_command(tokens: Sequence[Token], dialect: Dialect) -> Sketch:
    """What a statement does that begins with none of a query's words."""
    read = _READERS.get(tokens[0].keyword)
    if read is None:
        return Sketch(parts=(Part(kind="other"),), undecided=("sql-not-understood",))
    return read(tokens, dialect)


def _simply(
    kind: StatementKind,
    *undecided: str,
    transactional: bool = True,
    ends_transaction: bool = False,
) -> Read:
    sketch = Sketch(
        parts=(Part(kind=kind),),
        undecided=undecided,
        transactional=transactional,
        ends_transaction=ends_transaction,
    )
    return lambda _tokens, _dialect: sketch


def _schema(kind: StatementKind) -> Read:
    """`CREATE`, `ALTER`, `DROP`: what it is of, and whether it is about who may do what."""

    def read(tokens: Sequence[Token], dialect: Dialect) -> Sketch:
        words = _words(tokens)
        thing = next((word for word in words[1:] if word not in _BESIDE - {"TABLE"}), "")
        tables = tuple(_tables_of(tokens, thing, dialect))
        parts = [Part(kind=kind, tables=tables)]
        if not _RIGHTS.isdisjoint(words):
            parts.append(Part(kind="grant", tables=tables))
        undecided = () if tables or thing not in _HOLDS_ROWS else ("sql-table",)
        return Sketch(
            parts=tuple(parts),
            undecided=undecided,
            transactional=thing not in _OUTSIDE and "CONCURRENTLY" not in words,
        )

    return read


def _tables_of(tokens: Sequence[Token], thing: str, dialect: Dialect) -> Iterator[str]:
    """The tables that are named: at once, or behind `ON` of what belongs to one."""
    begins = 1
    if thing in _OF_A_TABLE:
        begins = next((at + 1 for at, each in enumerate(tokens) if each.keyword == "ON"), 0)
    elif thing not in _HOLDS_ROWS:
        return
    if begins:
        yield from names_from(tokens, begins, dialect)


def names_from(tokens: Sequence[Token], index: int, dialect: Dialect) -> Iterator[str]:
    """Names in a list that begins here, behind the words that may stand before each."""
    while index < len(tokens):
        while index < len(tokens) and tokens[index].keyword in _BESIDE | {"VIEW", "ON"}:
            index += 1
        name, index = _name_at(tokens, index, dialect)
        if name:
            yield name
        if index < len(tokens) and tokens[index].mark == "*":
            index += 1
        if not name or index >= len(tokens) or tokens[index].mark != ",":
            return
        index += 1


def _name_at(tokens: Sequence[Token], index: int, dialect: Dialect) -> tuple[str, int]:
    """The name with what stands before its stops, and where it ends; "" where none begins."""
    names: list[str] = []
    while index < len(tokens) and tokens[index].kind in {"word", "name"}:
        names.append(folded_name(tokens[index], dialect))
        index += 1
        if index >= len(tokens) or tokens[index].mark != ".":
            break
        index += 1
    if not names:
        return "", index
    return spelled_table(names[-2] if len(names) > 1 else "", names[-1]), index


def _grant(tokens: Sequence[Token], dialect: Dialect) -> Sketch:
    """`GRANT` and `REVOKE`: on which tables, where they say."""
    on = next((at + 1 for at, each in enumerate(tokens) if each.keyword == "ON"), len(tokens))
    listed = on < len(tokens) and tokens[on].keyword not in _NO_TABLES
    tables = tuple(names_from(tokens, on, dialect)) if listed else ()
    return Sketch(parts=(Part(kind="grant", tables=tables),))


def _prepare(tokens: Sequence[Token], dialect: Dialect) -> Sketch:
    if len(tokens) > 1 and tokens[1].keyword == "TRANSACTION":
        return Sketch(parts=(Part(kind="transaction"),), ends_transaction=True)
    return _READERS["EXECUTE"](tokens, dialect)


def _truncate(tokens: Sequence[Token], dialect: Dialect) -> Sketch:
    tables = tuple(names_from(tokens, 1, dialect))
    return Sketch(
        parts=(Part(kind="truncate", tables=tables),), undecided=() if tables else ("sql-table",)
    )


def _copy(tokens: Sequence[Token], dialect: Dialect) -> Sketch:
    """`COPY` reads or writes a file of the server, or runs a program there."""
    tables = tuple(names_from(tokens, 1, dialect))
    back = any(token.keyword == "TO" for token in tokens)
    program = any(token.keyword == "PROGRAM" for token in tokens)
    return Sketch(
        parts=(Part(kind="copy", tables=() if back else tables),),
        reads=tables if back else (),
        undecided=("sql-reaches-outside",),
        transactional=not back and not program,
    )


def _pragma(tokens: Sequence[Token], dialect: Dialect) -> Sketch:
    """`PRAGMA name`, `PRAGMA schema.name = value`, `PRAGMA name(value)`."""
    at = 3 if len(tokens) > 3 and tokens[2].mark == "." else 1
    name = folded_name(tokens[at], dialect) if at < len(tokens) else ""
    if name in _SHOWS or (name in _ASKED and len(tokens) == at + 1):
        return Sketch(parts=(Part(kind="select"),))
    return Sketch(parts=(Part(kind="set", at_word=name),), transactional=False)


def _set(tokens: Sequence[Token], dialect: Dialect) -> Sketch:
    """`SET TRANSACTION` is of the transaction; a role or an owner of a session is a right."""
    del dialect
    words = set(_words(tokens))
    if "CHARACTERISTICS" in words or any(word.startswith("TRANSACTION") for word in words):
        return Sketch(parts=(Part(kind="transaction"),), ends_transaction=True)
    kind: StatementKind = "grant" if words & {"ROLE", "AUTHORIZATION"} else "set"
    return Sketch(parts=(Part(kind=kind),))


def _words(tokens: Sequence[Token]) -> list[str]:
    return [token.keyword for token in tokens if token.keyword]


_READERS: Final[Mapping[str, Read]] = {
    **dict.fromkeys(
        ("BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE"),
        _simply("transaction", ends_transaction=True),
    ),
    "ALTER": _schema("alter"),
    "COMMENT": _simply("alter"),
    "CREATE": _schema("create"),
    "DROP": _schema("drop"),
    "IMPORT": _simply("create", "sql-reaches-outside"),
    "REASSIGN": _simply("grant"),
    "GRANT": _grant,
    "REVOKE": _grant,
    "SECURITY": _simply("grant"),
    "TRUNCATE": _truncate,
    "COPY": _copy,
    **dict.fromkeys(("CALL", "DO", "EXECUTE"), _simply("call", "sql-dynamic")),
    "PREPARE": _prepare,
    "PRAGMA": _pragma,
    **dict.fromkeys(("SET", "RESET"), _set),
    "DISCARD": _simply("set", transactional=False),
    "SHOW": _simply("select"),
    **dict.fromkeys(("LOCK", "DECLARE", "FETCH", "MOVE", "CLOSE", "DEALLOCATE"), _simply("other")),
    **dict.fromkeys(
        ("NOTIFY", "LISTEN", "UNLISTEN", "LOAD"), _simply("other", "sql-reaches-outside")
    ),
    **dict.fromkeys(
        ("ATTACH", "DETACH"), _simply("other", "sql-reaches-outside", transactional=False)
    ),
    "ANALYZE": _simply("maintenance"),
    "REFRESH": _simply("maintenance"),
    **dict.fromkeys(
        ("VACUUM", "REINDEX", "CLUSTER", "CHECKPOINT"), _simply("maintenance", transactional=False)
    ),
}
