"""Partial: whether what the model was shown of a result is less than there is.

Says why, and what the whole is where that is known. Does not say that anything was concluded from
it. A cut that leaves no mark and of which nobody has the whole is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec

from groundwire.canon import jcs
from groundwire.canon.cut_json import is_whole
from groundwire.canon.paths import values_at
from groundwire.documents.event import Executed
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import EncodingError
from groundwire.grounding.folding import lowers_alike
from groundwire.grounding.records.reading import read_result

Reason: TypeAlias = Literal["cut", "prefix", "total", "next-page", "content-only"]

_TAIL = 400
_LEAST_PREFIX = 8
# What hosts write where they cut: nothing else in a result's last characters says so.
_MARK = re.compile(
    r"[\[<(\u2026.]{1,3}\s*[^\n\[\]<>]{0,60}\b(?:truncated|cut(?: off)?|omitted|clipped|shortened|elided)\b"
    r"[^\n\]>)]{0,80}[\]>)]?\.{0,3}\s*$"
    r"|\b\d[\d,]* (?:more )?(?:rows?|lines?|items?|characters?|bytes|results|entries) "
    r"(?:omitted|truncated|not shown|cut)\W*$",
    re.IGNORECASE,
)
# One of these stands in every such mark; to look for them is many times faster.
_WORDS = ("truncated", "cut", "omitted", "clipped", "shortened", "elided", "not shown")
_ENDED = frozenset({"", "null", "none", "false", "0"})


class Partial(msgspec.Struct, frozen=True):
    """Why a result is partial. `whole` is the text of all of it, where that is known.

    `rows` and `total` are how many rows were shown and how many there are, -1 where nobody says.
    """

    reason: Reason
    whole: str | None = None
    rows: int = -1
    total: int = -1


def partial_reason(
    text: str, executed: Executed | None = None, declaration: ToolDeclaration | None = None
) -> Partial | None:
    """Why this served text is only a part of its result; None where nothing says so.

    The closest reason first: cut by the host, a prefix of what the tool returned, only the
    `content` of a result that has `structuredContent`, fewer rows than the declared total, a next
    page. Whether a later call followed the next page is for the caller to see.
    """
    returned = None if executed is None else (executed.rendered or executed.result)
    whole = returned if returned is not None and returned != text else None
    body = without_mark(text)
    if body is not None:
        return Partial("cut", whole, *_rows(body, whole or "", declaration))
    if whole is not None and _is_prefix(text.strip(), whole.strip()):
        return Partial("prefix", whole, *_rows(text, whole, declaration))
    if executed is not None and executed.structured and not _holds(text, executed.structured):
        return Partial("content-only", executed.structured)
    if _is_broken(text):
        return Partial("cut", whole, *_rows(text, whole or "", declaration))
    if declaration is None or not (declaration.total_at or declaration.next_at):
        return None
    rows, total = _rows(text, "", declaration)
    if 0 <= rows < total:
        return Partial("total", None, rows, total)
    if declaration.next_at and _has_next(text, declaration.next_at):
        return Partial("next-page", None, rows, total)
    return None


def _is_prefix(text: str, whole: str) -> bool:
    return _LEAST_PREFIX <= len(text) < len(whole) and whole.startswith(text)


def without_mark(text: str) -> str | None:
    """The text before the mark of a cut at its end; None where there is no such mark."""
    start = max(0, len(text) - _TAIL)
    if not _may_be_marked(text[start:]):
        return None
    found = _MARK.search(text, start)
    return None if found is None else text[: found.start()].rstrip()


@lru_cache(maxsize=1024)
def _may_be_marked(tail: str) -> bool:
    """Whether a mark may stand in it; several checks ask of each result."""
    return not lowers_alike(tail) or any(map(tail.lower().__contains__, _WORDS))


def row_count(text: str, rows_at: str = "") -> int:
    """How many rows a result has: those at the path, or its longest list; -1 where it has none."""
    value = _document(text)
    if value is not None and rows_at:
        found = values_at(value, rows_at)
        if len(found) == 1 and isinstance(found[0], list):
            return len(found[0])
        return len(found) if found else -1
    tables: dict[int, int] = {}
    records = read_result(text).records
    for record in records:
        tables[record.table] = tables.get(record.table, 0) + 1
    roots = {record.table for record in records if record.parent < 0}
    return max((count for table, count in tables.items() if table not in roots), default=-1)


def _rows(text: str, whole: str, declaration: ToolDeclaration | None) -> tuple[int, int]:
    rows_at = declaration.rows_at if declaration is not None else ""
    total_at = declaration.total_at if declaration is not None else ""
    rows = row_count(text, rows_at)
    if whole:
        return rows, row_count(whole, rows_at)
    total = _number_at(text, total_at) if total_at else -1
    return rows, total


def _number_at(text: str, path: str) -> int:
    value = _document(text)
    found: Sequence[object] = values_at(value, path) if value is not None else ()
    first = found[0] if len(found) == 1 else None
    return first if isinstance(first, int) and not isinstance(first, bool) else -1


def _has_next(text: str, path: str) -> bool:
    value = _document(text)
    found: Sequence[object] = values_at(value, path) if value is not None else ()
    return any(str(one).strip().lower() not in _ENDED for one in found)


def _holds(text: str, structured: str) -> bool:
    wanted = _document(structured)
    return wanted is None or _document(text) == wanted


def _is_broken(text: str) -> bool:
    """Whether the text is JSON whose end is missing."""
    stripped = text.lstrip()
    if not stripped.startswith(("{", "[")) or is_whole(text):
        return False
    reading = read_result(text)
    return reading.cut and not reading.capped and len(reading.records) > 1


def _document(text: str) -> jcs.JSON:
    try:
        return jcs.decode_foreign(text.encode()).value
    except (EncodingError, UnicodeEncodeError):
        return None
