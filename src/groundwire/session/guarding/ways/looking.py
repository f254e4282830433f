"""Looking: what is done with a call before it is judged: its copy for the record, what it reads."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from groundwire.authority.places import Places
from groundwire.documents.call import ToolCall
from groundwire.documents.governing import ReadArguments
from groundwire.documents.policy import ToolDeclaration
from groundwire.errors import GuardError
from groundwire.session.guarding.ways.arguments import Arguments, paths_read
from groundwire.session.guarding.ways.known import Mark, mark_of

Redactor: TypeAlias = Callable[[ToolCall], ToolCall]

_LOOKED_AT: Final = 1 << 20


def look_before_reading(
    declared: ToolDeclaration, arguments: Arguments, places: Places, folder: Path, *, inside: bool
) -> dict[str, Mark | None]:
    """No path that the tool is to show is one that nobody reads; the files it may show, as they are.

    With `inside` the first megabyte of each is looked at too.

    Raises:
        GuardError: `denied-to-read`, `arguments-do-not-fit`. HostError: `target-unreadable`.
    """
    target = declared.target
    if not isinstance(target, ReadArguments):
        return {}
    found: dict[str, Mark | None] = {}
    for path in paths_read(target.paths, arguments):
        named = os.path.join(folder, path)
        places.refuse_read(Path(named))
        if inside and os.path.isfile(named):
            with open(named, "rb") as file:
                places.refuse_content(file.read(_LOOKED_AT))
        found[named] = mark_of(named)
    return found


def require_stated(declared: ToolDeclaration | None) -> ToolDeclaration:
    """The declaration, which says what the tool does. None: there is no such tool.

    Raises:
        GuardError: `unknown-tool`, `undeclared-tool`.
    """
    if declared is None:
        raise GuardError(
            "unknown-tool", "No tool of this name is in the table or declared; nothing ran."
        )
    if declared.effect == "unstated":
        raise GuardError(
            "undeclared-tool",
            f"What {declared.name!r} does is not declared; nothing ran. Declare its effect.",
        )
    return declared


def redacted(redact: Redactor, call: ToolCall) -> ToolCall:
    """The copy that is recorded and shown; what runs is the call itself.

    Raises:
        GuardError: `redactor-failed`.
    """
    try:
        shown: object = redact(call)
    except Exception as error:
        raise _no_copy() from error
    if not isinstance(shown, ToolCall):
        raise _no_copy()
    return shown


def _no_copy() -> GuardError:
    return GuardError(
        "redactor-failed",
        "The redactor gave no copy of the call that can be recorded; nothing ran. Mend it: it takes"
        " a ToolCall and returns one.",
    )
