"""Port: two versions of a contract of any kind, opened and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.changes import Change
from groundwire.contracts.detecting import Kind
from groundwire.contracts.openapi.comparing import compare as compare_descriptions
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.libraries import compare_libraries, is_library
from groundwire.contracts.openapi.opening.opening import open_description
from groundwire.contracts.openapi.options import Options
from groundwire.contracts.openapi.rules import table
from groundwire.contracts.reading.unreadable import Unreadable
from groundwire.contracts.readings import Readings
from groundwire.contracts.schema_files import RULES as OF_FILES
from groundwire.contracts.schema_files import compare_schemas, open_schema
from groundwire.contracts.verdict import Direction

RULES: Final = table.table(table.BY_NAME.values(), OF_FILES)
"""Every rule by its name."""
BOTH: Final[tuple[Direction, ...]] = ("accepts", "produces")


class Source(msgspec.Struct, frozen=True):
    """One version: the file that it begins in, and what reads files beside it.

    `called` is what an error calls the file; without it errors name none.
    """

    name: str
    read_file: Callable[[str], bytes | None]
    called: str = ""


class Compared(msgspec.Struct, frozen=True):
    """The changes, and what the two versions call themselves, empty where they do not."""

    changes: tuple[Change, ...]
    versions: tuple[str, str] = ("", "")


def compare(
    kind: Kind,
    before: Source | None,
    after: Source | None,
    options: Options,
    directions: tuple[Direction, ...] = BOTH,
    readings: Readings | None = None,
) -> Compared:
    """What the change from one version to the other does to those who use it.

    Without `before` all was added, without `after` all was removed. `directions` says who sends
    what a bare schema describes; of a description it is known. With `readings` a file that was
    read for them is not read again.

    Raises:
        Unreadable: one of the two cannot be opened.
    """
    readings = readings or Readings()
    if kind == "json-schema":
        return Compared(_of_schemas(before, after, options, directions, readings))
    old = _opened(before, readings) if before else None
    new = _opened(after, readings) if after else None
    ends = old or _nothing_like(new), new or _nothing_like(old)
    compared = compare_libraries if all(map(is_library, ends)) else compare_descriptions
    changes = compared(*ends, options)
    if old is None or new is None:
        # Nothing stands in a file that is not there.
        side = "before" if old is None else "after"
        changes = tuple(msgspec.structs.replace(each, **{side: None}) for each in changes)
    return Compared(changes, (_version(old), _version(new)))


def _of_schemas(
    before: Source | None,
    after: Source | None,
    options: Options,
    directions: tuple[Direction, ...],
    readings: Readings,
) -> tuple[Change, ...]:
    """A schema that is new or gone is read by nobody yet, or by nobody any more: nothing is said."""
    if before is None or after is None:
        for each in (before, after):
            if each is not None:
                _opened_schema(each, readings)
        return ()
    old, new = _opened_schema(before, readings), _opened_schema(after, readings)
    return compare_schemas(old, new, directions, options)


def _opened(source: Source, readings: Readings) -> Description:
    with naming(source.called):
        return open_description(source.name, source.read_file, readings)


def _opened_schema(source: Source, readings: Readings) -> Description:
    with naming(source.called):
        return open_schema(source.name, source.read_file, readings)


@contextmanager
def naming(called: str) -> Iterator[None]:
    """What cannot be read inside is said with the name of the file, and with the line.

    Raises:
        Unreadable: with the reason that it had.
    """
    try:
        yield
    except Unreadable as error:
        if not called:
            raise
        at = f":{error.line}:{error.column}" if error.line else ""
        says = f"{called}{at}: {error.says}"
        raise Unreadable(error.reason, says, error.line, error.column) from error


def _nothing_like(other: Description | None) -> Description:
    """A description of the same version without any operation."""
    if other is None:
        raise Unreadable("missing-description", "There is neither an old nor a new description.")
    root: dict[str, JSON] = {
        name: each for name, each in other.root.items() if name in {"openapi", "servers", "info"}
    }
    return msgspec.structs.replace(other, root=root | {"paths": {}}, unread={})


def _version(description: Description | None) -> str:
    info = description.root.get("info") if description else None
    said = info.get("version") if isinstance(info, dict) else None
    return said if isinstance(said, str) else ""
