"""Schema: what a transaction changed of a database's own description, before and after.

A change of the schema is a change of rows in the catalogs, so it is found like any other, whatever
made it. How an expression was before is told by a digest alone: to spell it out would wait for the
very lock that the change holds. A catalog that is not read here is named with its number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import psycopg

from groundwire.documents.sql import SchemaChange, Thing, spelled_table
from groundwire.targets.sql.postgresql.asking import Cells, Touched, cells_of
from groundwire.targets.sql.postgresql.rows import within

_Connection = psycopg.Connection[tuple[object, ...]]
_Key = tuple[Thing, str, str]

_OF_TABLE: Final = (
    "JOIN pg_catalog.pg_class c ON c.oid = t.{of} JOIN pg_catalog.pg_namespace n"
    " ON n.oid = c.relnamespace AND n.nspname <> 'pg_toast'"
)


class _Catalog(NamedTuple):
    """How one catalog is read: what its rows are, and as which text each counts.

    `asked` gives schema, table, name, text, and of a table where its rows stand and how many they
    are by the server's estimate; `{text}` in it is `before` or `after`, which is as
    `before` where it is empty, and `{joined}` the table that the field `of` names.
    """

    thing: Thing
    asked: str
    before: str
    after: str = ""
    of: str = ""


_CATALOGS: Final[Mapping[str, _Catalog]] = {
    "pg_class": _Catalog(
        "table",
        "SELECT n.nspname, t.relname, '', {text}, t.relfilenode, CASE WHEN t.relkind IN ('r', 'm')"
        " THEN greatest(t.reltuples::bigint, pg_stat_get_live_tuples(t.oid)) END"
        " FROM pg_catalog.pg_class t"
        " JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace AND n.nspname <> 'pg_toast'"
        " WHERE t.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND {within}",
        "concat_ws(' ', CASE t.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'"
        " WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign table' ELSE 'table' END, 'of',"
        " pg_get_userbyid(t.relowner), t.relpersistence, t.reloptions::text, t.relacl::text,"
        " CASE WHEN t.relrowsecurity THEN 'row security' END,"
        " CASE WHEN t.relforcerowsecurity THEN 'forced' END)",
    ),
    "pg_attribute": _Catalog(
        "column",
        "SELECT n.nspname, c.relname, t.attname, {text} FROM pg_catalog.pg_attribute t"
        " {joined}"
        " WHERE t.attnum > 0 AND NOT t.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c')"
        " AND {within}",
        "concat_ws(' ', format_type(t.atttypid, t.atttypmod), CASE WHEN t.attnotnull THEN"
        " 'NOT NULL' END, nullif(t.attidentity, ''), nullif(t.attgenerated, ''), t.attacl::text)",
        of="attrelid",
    ),
    "pg_attrdef": _Catalog(
        "column",
        "SELECT n.nspname, c.relname, a.attname || ' DEFAULT', {text} FROM pg_catalog.pg_attrdef t"
        " {joined} JOIN pg_catalog.pg_attribute a"
        " ON a.attrelid = t.adrelid AND a.attnum = t.adnum WHERE {within}",
        "'expression ' || md5(t.adbin::text)",
        "pg_get_expr(t.adbin, t.adrelid)",
        of="adrelid",
    ),
    "pg_constraint": _Catalog(
        "constraint",
        "SELECT n.nspname, c.relname, t.conname, {text} FROM pg_catalog.pg_constraint t"
        " JOIN pg_catalog.pg_class c ON c.oid = t.conrelid"
        " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE {within}",
        "concat_ws(' ', t.contype, t.conkey::text, (SELECT relname FROM pg_catalog.pg_class"
        " WHERE oid = t.confrelid), md5(t.conbin::text), CASE WHEN NOT t.convalidated THEN"
        " 'NOT VALID' END)",
        "pg_get_constraintdef(t.oid)",
    ),
    "pg_index": _Catalog(
        "index",
        "SELECT n.nspname, c.relname, i.relname, {text} FROM pg_catalog.pg_index t"
        " {joined}"
        " JOIN pg_catalog.pg_class i ON i.oid = t.indexrelid WHERE {within}",
        "concat_ws(' ', CASE WHEN t.indisunique THEN 'unique' END, t.indkey::text,"
        " md5(t.indexprs::text), md5(t.indpred::text))",
        "pg_get_indexdef(t.indexrelid)",
        of="indrelid",
    ),
    "pg_trigger": _Catalog(
        "trigger",
        "SELECT n.nspname, c.relname, t.tgname, {text} FROM pg_catalog.pg_trigger t"
        " {joined} WHERE NOT t.tgisinternal AND {within}",
        "concat_ws(' ', t.tgtype, t.tgenabled, (SELECT proname FROM pg_catalog.pg_proc"
        " WHERE oid = t.tgfoid), md5(t.tgqual::text))",
        "concat_ws(' ', t.tgenabled, pg_get_triggerdef(t.oid))",
        of="tgrelid",
    ),
    "pg_rewrite": _Catalog(
        "view",
        "SELECT n.nspname, c.relname, t.rulename, {text} FROM pg_catalog.pg_rewrite t"
        " {joined} WHERE {within}",
        "'query ' || md5(t.ev_action::text)",
        "pg_get_ruledef(t.oid)",
        of="ev_class",
    ),
    "pg_policy": _Catalog(
        "privilege",
        "SELECT n.nspname, c.relname, t.polname, {text} FROM pg_catalog.pg_policy t"
        " {joined} WHERE {within}",
        "concat_ws(' ', t.polcmd, t.polpermissive, md5(t.polqual::text), md5(t.polwithcheck::text))",
        "concat_ws(' ', t.polcmd, t.polpermissive, pg_get_expr(t.polqual, t.polrelid),"
        " pg_get_expr(t.polwithcheck, t.polrelid))",
        of="polrelid",
    ),
    "pg_proc": _Catalog(
        "function",
        "SELECT n.nspname, t.proname || '(' || pg_get_function_identity_arguments(t.oid) || ')', '',"
        " {text} FROM pg_catalog.pg_proc t"
        " JOIN pg_catalog.pg_namespace n ON n.oid = t.pronamespace WHERE {within}",
        "concat_ws(' ', t.prokind, CASE WHEN t.prosecdef THEN 'SECURITY DEFINER' END,"
        " t.proconfig::text, t.proacl::text, t.prosrc)",
    ),
    "pg_namespace": _Catalog(
        "other",
        "SELECT '', t.nspname, '', {text} FROM pg_catalog.pg_namespace t WHERE {within}",
        "concat_ws(' ', 'schema of', pg_get_userbyid(t.nspowner), t.nspacl::text)",
    ),
    "pg_enum": _Catalog(
        "other",
        "SELECT n.nspname, y.typname, t.enumlabel, {text} FROM pg_catalog.pg_enum t"
        " JOIN pg_catalog.pg_type y ON y.oid = t.enumtypid"
        " JOIN pg_catalog.pg_namespace n ON n.oid = y.typnamespace WHERE {within}",
        "t.enumlabel",
    ),
}  # fmt: skip
_WITH_ROWS: Final = 6
# Follows from the others: which thing rests on which, how often a value stands where.
_FOLLOWS: Final = frozenset(
    {"pg_depend", "pg_shdepend", "pg_type", "pg_sequence", "pg_statistic", "pg_inherits"}
)


def schema_changes(
    tables: Sequence[Touched], own: _Connection, beside: _Connection, xid: int
) -> list[SchemaChange]:
    """What became of everything that the catalogs describe. Two round trips.

    Raises:
        psycopg.Error: it could not be read.
    """
    known = [each.name for each in tables if each.name in _CATALOGS]
    before = _read(beside, known, xid, "xmax", after=False)
    after = _read(own, known, xid, "xmin", after=True)
    found = list(_differences(before, after))
    for each in tables:
        if each.name in _CATALOGS or (each.name in _FOLLOWS and found):
            continue
        counted = f"{each.inserted} inserted, {each.updated} updated, {each.deleted} deleted"
        name = spelled_table("pg_catalog", each.name)
        found.append(SchemaChange(thing="other", name=name, table=name, before="", after=counted))
    return found


def _read(
    connection: _Connection, catalogs: Sequence[str], xid: int, field: str, *, after: bool
) -> dict[_Key, Cells]:
    with connection.pipeline():
        asked = [
            (
                _CATALOGS[name],
                connection.execute(_asked(_CATALOGS[name], within(field, xid), after=after)),
            )
            for name in catalogs
        ]
    found: dict[_Key, Cells] = {}
    for catalog, cursor in asked:
        for row in cells_of(cursor):
            table = spelled_table(row[0] or "", row[1] or "")
            found[(catalog.thing, row[2] or table, table)] = row
    return found


def _asked(catalog: _Catalog, within_it: str, *, after: bool) -> bytes:
    text = catalog.after if after and catalog.after else catalog.before
    joined = _OF_TABLE.format(of=catalog.of)
    return catalog.asked.format(joined=joined, text=text, within=within_it).encode()


def _differences(
    before: Mapping[_Key, Cells], after: Mapping[_Key, Cells]
) -> Iterator[SchemaChange]:
    """Each thing that is made, gone or described otherwise, or whose rows stand elsewhere now."""
    for thing, name, table in sorted({*before, *after}):
        old, new = before.get((thing, name, table)), after.get((thing, name, table))
        was = None if old is None else old[3] or ""
        becomes = None if new is None else new[3] or ""
        emptied = new is None
        if old is not None and new is not None and old[4:5] != new[4:5]:
            was, becomes = f"{was}, with its rows", f"{becomes}, its rows gone or written anew"
            emptied = True
        if was != becomes:
            yield SchemaChange(
                thing=thing, name=name, table=table, before=was, after=becomes,
                told=_estimated(old) if emptied else "",
            )  # fmt: skip


def _estimated(old: Cells | None) -> str:
    """How many rows stood there; "" of what has none. Nobody counts them: who drops it locks it.

    Two digits of it, so that the same question is asked in the same words a little later.
    """
    if old is None or len(old) < _WITH_ROWS or old[5] is None:
        return ""
    count = int(old[5])
    if count <= 0:
        return "its rows, whose number the server does not know, were there before"
    unit = 10 ** max(len(str(count)) - 2, 0)
    return f"about {round(count / unit) * unit} rows were there before, as the server estimates"
