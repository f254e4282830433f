"""Rows: a row as the text of a JSON object, and what became of a table's rows, in one order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

from groundwire.canon import jcs
from groundwire.canon.digest import sha256
from groundwire.documents.sql import RowChange, TableChange
from groundwire.targets.sql.port import Value

Cell: TypeAlias = str | int | float | bytes | None

_LONGEST: Final = 2_000
_EXACT: Final = 1 << 53


class Row(NamedTuple):
    """A row that changed: its key, empty where the table has none, and its text."""

    key: tuple[str, ...]
    text: str


class Counts(NamedTuple):
    """How many rows of a table were inserted, updated and deleted, as the database counts."""

    inserted: int
    updated: int
    deleted: int


def row_of(columns: Sequence[str], cells: Sequence[Cell], key: Iterable[int] = ()) -> Row:
    """The row by its columns. Of a long cell its digest stands in the text."""
    values = {name: _plain(cell) for name, cell in zip(columns, cells, strict=True)}
    return Row(tuple(repr(cells[at]) for at in key), jcs.encode(values).decode())


def shown_cell(cell: Cell) -> Value:
    """The cell as a tool's result has it: bytes as hex digits."""
    if isinstance(cell, bytes):
        return "\\x" + cell.hex()
    return cell


def changed(
    table: str,
    counts: Counts,
    rows: tuple[Sequence[Row], Sequence[Row]] | None,
    shown: int,
    rows_before: int | None = None,
) -> TableChange:
    """What became of the table's rows; `rows` are those that changed, before and after.

    None: they could not all be read, and only the counts are known. The order is that of the texts,
    so it is the same whenever the same rows are read.
    """
    inserted, updated, deleted = counts
    if rows is None:
        return TableChange(
            table=table, inserted=inserted, updated=updated, deleted=deleted,
            rows_before=rows_before, more=inserted + updated + deleted,
        )  # fmt: skip
    paired = sorted(_paired(*rows), key=lambda row: (row.before or "", row.after or ""))
    return TableChange(
        table=table, inserted=inserted, updated=updated, deleted=deleted, rows_before=rows_before,
        shown=tuple(paired[:shown]), more=max(len(paired) - shown, 0),
        digest=sha256(jcs.encode([[row.before, row.after] for row in paired])),
    )  # fmt: skip


def _paired(before: Sequence[Row], after: Sequence[Row]) -> list[RowChange]:
    """Rows of one key are one row; without a key each stands alone."""
    was = {row.key: row for row in before if row.key}
    found: list[RowChange] = []
    for row in after:
        old = was.pop(row.key, None) if row.key else None
        found.append(RowChange(before=None if old is None else old.text, after=row.text))
    gone = [*was.values(), *(row for row in before if not row.key)]
    return [*found, *(RowChange(before=row.text, after=None) for row in gone)]


def _plain(cell: Cell) -> jcs.JSON:
    if isinstance(cell, bytes):
        return _long(cell) if len(cell) > _LONGEST else {"hex": cell.hex()}
    if isinstance(cell, str) and len(cell) > _LONGEST:
        return _long(cell.encode("utf-8", "surrogatepass"))
    if isinstance(cell, str):
        return cell.encode("utf-8", "replace").decode()
    if isinstance(cell, int) and not isinstance(cell, bool) and abs(cell) >= _EXACT:
        return {"integer": str(cell)}
    if isinstance(cell, float) and not abs(cell) < float("inf"):
        return {"number": repr(cell)}
    return cell


def _long(data: bytes) -> jcs.JSON:
    return {"bytes": len(data), "digest": sha256(data)}
