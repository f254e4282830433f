"""Importers: logs people already have, told apart by what stands in them, not by their names.

One JSON document, a JSON array, or JSON lines; gzip around it is taken off. What is read is
*reconstructed*: such logs hold no wire bytes, and no byte position is claimed for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Raw, Struct

from groundwire.errors import EncodingError
from groundwire.wire import scan
from groundwire.wire.encodings import decode_content
from groundwire.wire.fragments import list_of, object_of
from groundwire.wire.import_conversations import (
    Conversation,
    is_answer,
    provider_of,
    read_conversation,
    read_exchange,
)
from groundwire.wire.import_runs import read_run
from groundwire.wire.imported import ImportedRun, ImportProblem

__all__ = ["ImportProblem", "ImportedRun", "Piece", "import_log", "pieces", "read_piece"]

_GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NO_SCHEMAS: Mapping[str, str] = MappingProxyType({})


class Piece(Struct, frozen=True):
    """What is read as one: a row, or the rows of one conversation that holds a message in each.

    Each row has its line; `unread` are lines among them that are no row.
    """

    rows: tuple[tuple[int, Raw], ...]
    unread: tuple[int, ...] = ()
    is_conversation: bool = False


def import_log(
    data: bytes, *, tool_schemas: Mapping[str, str] = _NO_SCHEMAS
) -> Iterator[ImportedRun | ImportProblem]:
    """Every run of a log, and every row that could not be read, in their order.

    `tool_schemas` resolves `schema_text` of the run format where it names a set (`@set:suite`).
    Rows are read one at a time, when they are asked for.

    Raises:
        EncodingError: as `pieces`.
    """
    for piece in pieces(data):
        yield from read_piece(piece, tool_schemas)


def pieces(data: bytes) -> Iterator[Piece]:
    """The pieces of a log, in their order: each can be read without the others.

    Raises:
        EncodingError: `not-a-log`, where nothing in it is a row of any known form, and whatever
            is wrong with the gzip around it.
    """
    if data.startswith(_GZIP):
        data = decode_content(data, "gzip")
    loose: list[tuple[int, Raw]] = []
    unread: list[int] = []
    for line, row in _rows(data.removeprefix(_BYTE_ORDER_MARK)):
        members = object_of(row)
        if members is not None and _is_message(members):
            loose.append((line, row))
            continue
        if loose and members is None:
            unread.append(line)  # a broken line does not end a conversation
        elif loose:
            yield Piece(tuple(loose), tuple(unread), is_conversation=True)
            loose, unread = [], []
        yield Piece(((line, row),))
    if loose:
        yield Piece(tuple(loose), tuple(unread), is_conversation=True)


def read_piece(
    piece: Piece, tool_schemas: Mapping[str, str] = _NO_SCHEMAS
) -> Iterator[ImportedRun | ImportProblem]:
    """The run of a piece, after what of it could not be read."""
    if piece.is_conversation:
        yield from _converse(piece.rows, piece.unread)
    else:
        [(line, row)] = piece.rows
        yield _read(row, object_of(row), line, tool_schemas)


def _rows(data: bytes) -> Iterator[tuple[int, Raw]]:
    """The rows, with their lines; with their places, from 1, where one array holds them all."""
    whole = data.strip()
    if whole[:1] in {b"{", b"["} and _is_one(whole):
        values = [Raw(whole)] if whole[:1] == b"{" else scan.elements(whole)
        numbered = list(enumerate(values, 1))
    else:
        lines = enumerate(data.split(b"\n"), 1)
        numbered = [(number, Raw(line.strip())) for number, line in lines if line.strip()]
    if not any(scan.first(row) in {b"{", b"["} and scan.is_json(row) for _, row in numbered):
        raise EncodingError(
            "not-a-log",
            "The file is no log of a known form: expected are JSON lines, one document with "
            '"messages", or a list of messages.',
        )
    yield from numbered


def _is_one(whole: bytes) -> bool:
    """Whether this is one JSON value, and not many rows."""
    line, _, rest = whole.partition(b"\n")
    if rest and scan.is_json(line):
        return False  # What ends with its first line is a row, and all of it has not to be read.
    return scan.is_json(scan.mend(whole) or whole)


def _is_message(members: dict[str, Raw]) -> bool:
    if "messages" in members or "request" in members or "input" in members:
        return False
    return "role" in members or is_answer(members) or _is_item(members)


def _is_item(members: dict[str, Raw]) -> bool:
    return "type" in members and ("call_id" in members or "summary" in members)


def _read(
    row: Raw, members: dict[str, Raw] | None, line: int, tool_schemas: Mapping[str, str]
) -> ImportedRun | ImportProblem:
    try:
        if members is None:
            return _read_list(row, line)
        if "messages" in members:
            if _is_run(members):
                return read_run(row, line, tool_schemas)
            return read_conversation(members, line)
        if "request" in members and scan.first(members["request"]) == b"{":
            return read_exchange(members, line)
        if "input" in members:
            return read_conversation(members, line)
    except RecursionError:
        return _problem(line, scan.too_deep())
    except EncodingError as error:
        return _problem(line, error)
    message = "The row is no run, conversation, exchange or message; check what wrote it."
    return ImportProblem(line=line, reason="unknown-row", message=f"Line {line}: {message}")


def _read_list(row: Raw, line: int) -> ImportedRun | ImportProblem:
    if scan.first(row) != b"[":
        scan.pairs(row)  # says what is wrong with it
    values = scan.elements(row)
    conversation = Conversation(provider_of({}, values))
    for value in values:
        conversation.add(value)
    return conversation.run(line)


def _is_run(members: dict[str, Raw]) -> bool:
    if "schema_text" in members or "run_id" in members:
        return True
    for message in list_of(members["messages"]):
        for call in list_of((object_of(message) or {}).get("tool_calls")):
            return "name" in (object_of(call) or {})
    return False


def _converse(
    rows: Sequence[tuple[int, Raw]], unread: Sequence[int]
) -> Iterator[ImportedRun | ImportProblem]:
    """The conversation whose messages stand in rows of their own, after what is wrong with any."""
    conversation = Conversation(provider_of({}, [row for _, row in rows]))
    missing = list(unread)
    for line, row in rows:
        try:
            conversation.add(row)
        except RecursionError:
            yield _problem(line, scan.too_deep())
            missing.append(line)
        except EncodingError as error:
            yield _problem(line, error)
            missing.append(line)
    notes = [f"Line {line} could not be read and is missing here." for line in sorted(missing)]
    yield conversation.run(rows[0][0], tuple(notes))


def _problem(line: int, error: EncodingError) -> ImportProblem:
    return ImportProblem(line=line, reason=error.reason, message=f"Line {line}: {error.message}")
