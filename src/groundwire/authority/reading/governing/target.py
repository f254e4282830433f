"""Target: by which of its arguments a tool writes to what. One spelling for each kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, get_args

import msgspec

from groundwire.authority.reading.values import (
    Misdeclared,
    Table,
    read_choice,
    read_entries,
    read_name,
    read_table,
    show,
)
from groundwire.authority.toml_lines import Path
from groundwire.documents.declaration import Effect
from groundwire.documents.governing import (
    CommandArguments,
    EditShape,
    FileArguments,
    GitArguments,
    ReadArguments,
    Targeted,
)
from groundwire.documents.sql import SqlArguments

EFFECTS: Final[tuple[Effect, ...]] = ("read", "write", "external", "destructive")
KINDS: Final = ("files", "shell", "git", "reads", "sql")
SHAPES: Final[tuple[EditShape, ...]] = get_args(EditShape)
DEEDS: Final = ("commit", "set-ref", "delete-ref")
WRITERS: Final = ("groundwire", "tool")

# Which arguments each has: a name for one that it does not have would be a slip, and do nothing.
_OF_SHAPE: Final[Mapping[str, tuple[str, ...]]] = {
    "replace": ("path", "old", "new"),
    "edits": ("path", "edits", "old", "new"),
    "whole": ("path", "content"),
    "create": ("path", "content"),
    "patch": ("path", "patch"),
    "delete": ("path",),
    "move": ("path", "to"),
    "mode": ("path", "mode"),
}
_OF_DEED: Final[Mapping[str, tuple[str, ...]]] = {
    "commit": ("message",),
    "set-ref": ("ref", "commit"),
    "delete-ref": ("ref",),
}
_FORMS: Final = (
    '{ files = "replace" }, { shell = "command" }, { git = "commit" }, { sql = "NAME" } or'
    ' { reads = ["path"] }'
)
_WRITING: Final[frozenset[Effect]] = frozenset({"write", "external", "destructive"})


def read_target(value: object, path: Path) -> Targeted:
    """The target of a table such as `{ files = "replace", path = "file" }`."""
    table = read_table(value, "tools.<name>.target", path)
    named = [kind for kind in KINDS if kind in table]
    if len(named) != 1:
        raise Misdeclared("bad-target", path, f"a target is one of {_FORMS}")
    kind, place = named[0], (*path, named[0])
    match kind:
        case "files":
            shape = read_choice(table["files"], SHAPES, place)
            names = _names(table, kind, shape, (*_OF_SHAPE[shape], "writes"), path)
            if "writes" in names:
                read_choice(table["writes"], WRITERS, (*path, "writes"))
            return msgspec.convert({"type": kind, "edit": shape} | names, FileArguments)
        case "git":
            does = read_choice(table["git"], DEEDS, place)
            names = _names(table, kind, does, _OF_DEED[does], path)
            return msgspec.convert({"type": kind, "does": does} | names, GitArguments)
        case "shell":
            command = read_name(table["shell"], place)
            _names(table, kind, command, (), path)
            return CommandArguments(command=command)
        case "sql":
            database = read_name(table["sql"], place)
            names = _names(table, kind, database, ("statement", "parameters"), path)
            return msgspec.convert({"type": kind, "database": database} | names, SqlArguments)
        case _:
            paths = read_entries(
                table["reads"], place, read_name, "an empty list names no argument; leave it out"
            )
            _names(table, kind, ", ".join(paths), (), path)
            return ReadArguments(paths=paths)


def demand_one_meaning(effect: Effect, target: Targeted | None, path: Path) -> None:
    """Effect and target say the same: what shows files reads, what changes something does not."""
    shows = isinstance(target, ReadArguments)
    if (shows and effect in _WRITING) or (target is not None and not shows and effect == "read"):
        raise Misdeclared(
            "contradictory-target",
            path,
            f'a tool with effect = "{effect}" cannot have this target; correct one of the two',
        )


def demand_operation(effect: Effect, operation: str, path: Path) -> None:
    """A tool that reaches outside or destroys says what its deed is called."""
    if effect in {"external", "destructive"} and not operation:
        raise Misdeclared(
            "missing-operation",
            path,
            f'a tool with effect = "{effect}" has to name its operation; write operation = "deploy", '
            '"publish", "merge", "register" or a word of your own, such as "send_mail"',
        )


def _names(
    table: Table, kind: str, said: str, known: tuple[str, ...], path: Path
) -> dict[str, str]:
    """The names of arguments that the table gives; every one of them belongs to what it says."""
    names: dict[str, str] = {}
    for key, value in table.items():
        if key == kind:
            continue
        if key not in known:
            listed = f"; it has {', '.join(known)}" if known else ""
            raise Misdeclared(
                "bad-target", (*path, key), f"{kind} = {show(said)} has no {show(key)}{listed}"
            )
        names[key] = read_name(value, (*path, key))
    return names
