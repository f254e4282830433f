"""Tools of a coding agent, declared: with them the first guarded run is one line.

Those that write have no code of their own: what they do is said by their target, and groundwire
carries it out. There is none that searches through files: `run_command` with grep does that, within
what a staged command may read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Final, TextIO

from groundwire.documents.governing import (
    CommandArguments,
    EditShape,
    FileArguments,
    ReadArguments,
)
from groundwire.documents.policy import ToolDeclaration
from groundwire.session.guarding.shapes.tools import GivenTool, given_tools

MOST_LINES: Final = 2000
MOST_NAMES: Final = 2000
_MOST_BYTES: Final = 1 << 20
_OF_THE_SYSTEM: Final = ("/proc/", "/sys/", "/dev/")

_TEXTS: Final = {
    "path": "The file, from the working folder.",
    "content": "What the whole file is to hold.",
    "old": "The text that gives way, exactly as it stands; it has to stand there once.",
    "new": "The text that comes in its place.",
    "to": "The new name, at which nothing stands.",
    "patch": "A unified diff of one or more files, with a/ and b/ before the names.",
    "command": "The command, as a shell reads it. It runs in the working folder, without a network.",
}
_EDITS: Final[tuple[tuple[str, EditShape, tuple[str, ...], str], ...]] = (
    ("write_file", "whole", ("path", "content"), "Writes a whole file, new or not."),
    ("edit_file", "replace", ("path", "old", "new"), "Replaces a text in a file."),
    ("delete_file", "delete", ("path",), "Deletes a file."),
    ("move_file", "move", ("path", "to"), "Moves or renames a file."),
    ("apply_patch", "patch", ("patch",), "Applies a unified diff, to all of its files or none."),
)

DECLARATIONS: Final = (
    ToolDeclaration(name="read_file", effect="read", target=ReadArguments(paths=("path",))),
    ToolDeclaration(name="list_folder", effect="read", target=ReadArguments(paths=("path",))),
    *(
        ToolDeclaration(name=name, effect="write", target=FileArguments(edit=edit))
        for name, edit, _, _ in _EDITS
    ),
    ToolDeclaration(name="run_command", effect="write", target=CommandArguments()),
)
"""What is declared of each, as `[tools.NAME]` in a groundwire.toml would say it."""


def with_coding_tools(declared: Sequence[ToolDeclaration]) -> tuple[ToolDeclaration, ...]:
    """These, and of the ready-made tools those that no one of these declares."""
    known = {tool.name for tool in declared}
    return (*declared, *(each for each in DECLARATIONS if each.name not in known))


def coding_tools(folder: Path) -> tuple[GivenTool, ...]:
    """The tools over this working folder; each needs its declaration in the policy.

    Reads do not look at `deny_read` themselves: the table does, before they run. A link that is
    exchanged between the two is followed.
    """
    return (
        *given_tools([_reader(folder), _lister(folder)]),
        *(_described(name, takes, says) for name, _, takes, says in _EDITS),
        _described(
            "run_command",
            ("command",),
            "Runs a command. What it changes in the working folder is judged and then applied.",
        ),
    )


def _described(name: str, takes: tuple[str, ...], says: str) -> GivenTool:
    schema = {
        "type": "object",
        "properties": {each: {"type": "string", "description": _TEXTS[each]} for each in takes},
        "required": list(takes),
        "additionalProperties": False,
    }
    return GivenTool(name=name, description=says, schema=schema, work=None, async_work=None)


def _reader(folder: Path) -> Callable[..., str]:
    def read_file(
        path: Annotated[str, _TEXTS["path"]],
        first_line: Annotated[int, "Where to begin; lines count from 1."] = 1,
        lines: Annotated[int, "How many lines."] = MOST_LINES,
    ) -> str:
        """Shows a file, or some lines of it."""
        most = max(0, min(lines, MOST_LINES))
        try:
            with _open_plain(folder / path) as file:
                # A line is read up to a size: a file may be one that has no end of line.
                shown = islice(
                    iter(lambda: file.readline(_MOST_BYTES), ""), max(first_line, 1) - 1, None
                )
                text, ended = _bounded(islice(shown, most))
                more = not ended or next(shown, None) is not None
        except (OSError, ValueError) as error:
            return _cannot(error)
        return f"{text}\n[There is more; ask for later lines.]\n" if more else text

    return read_file


def _open_plain(path: Path) -> TextIO:
    """The file, opened; a pipe or a device is not waited for.

    What the system shows of processes as files is none: this one's environment holds keys.
    """
    if os.path.realpath(path).startswith(_OF_THE_SYSTEM):
        raise ValueError("it is no plain file")
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise ValueError("it is no plain file")
    return os.fdopen(number, encoding="utf-8", errors="replace", newline="")


def _bounded(lines: islice[str]) -> tuple[str, bool]:
    """The lines as one text, up to a size; whether that was all of them."""
    found: list[str] = []
    size = 0
    for line in lines:
        size += len(line)
        if size > _MOST_BYTES:
            found.append(line[: _MOST_BYTES - size])
            return "".join(found), False
        found.append(line)
    return "".join(found), True


def _lister(folder: Path) -> Callable[..., str]:
    def list_folder(path: Annotated[str, "The folder, from the working folder."] = ".") -> str:
        """Shows the names in a folder; those of folders end with a slash."""
        try:
            with os.scandir(folder / path) as entries:
                names = sorted(
                    entry.name + ("/" if entry.is_dir(follow_symlinks=False) else "")
                    for entry in entries
                )
        except (OSError, ValueError) as error:
            return _cannot(error)
        more = [f"[{len(names) - MOST_NAMES} more]"] if len(names) > MOST_NAMES else []
        return "\n".join((*names[:MOST_NAMES], *more))

    return list_folder


def _cannot(error: OSError | ValueError) -> str:
    why = error.strerror if isinstance(error, OSError) else str(error)
    return f"It cannot be read: {why or type(error).__name__}."
