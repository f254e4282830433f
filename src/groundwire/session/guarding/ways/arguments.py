"""Arguments: the exact text of a model's call, read strictly, and the edits that it asks for."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final, TypeAlias, assert_never

from groundwire.canon import jcs
from groundwire.documents.call import ToolCall
from groundwire.documents.edit import (
    Create,
    Delete,
    FileEdit,
    Move,
    Patch,
    Replace,
    Rewrite,
    SetMode,
    Whole,
)
from groundwire.documents.governing import CommandArguments, FileArguments
from groundwire.errors import EncodingError, GuardError

Arguments: TypeAlias = Mapping[str, object]

_SHELLS: Final = ("/bin/bash", "/usr/bin/bash", "/bin/sh")
_OCTAL: Final = re.compile(r"0?[0-7]{3}")


def arguments_of(call: ToolCall) -> Arguments:
    """The arguments of the call: its text is one JSON object, in which no key stands twice.

    Raises:
        GuardError: `arguments-malformed`, `arguments-ambiguous`.
    """
    try:
        read = jcs.decode_foreign(call.arguments.encode())
    except (EncodingError, UnicodeEncodeError) as error:
        raise GuardError(
            "arguments-malformed",
            "The arguments of the call are no JSON; nothing ran. Make the call anew.",
        ) from error
    if read.duplicates:
        raise GuardError(
            "arguments-ambiguous",
            "A key stands twice in the arguments of the call, and readers differ on which counts;"
            " nothing ran.",
        )
    if not isinstance(read.value, dict):
        raise GuardError(
            "arguments-malformed", "The arguments of a call are one JSON object; nothing ran."
        )
    return read.value


def command_words(declared: CommandArguments, arguments: Arguments) -> tuple[str, ...]:
    """The command that a call asks for, to be read by a shell: bash where there is one.

    Raises:
        GuardError: `arguments-do-not-fit`.
    """
    command = _text(arguments, declared.command)
    if "\0" in command:
        raise GuardError("arguments-do-not-fit", "A command has a NUL in it; nothing ran.")
    shell = next((each for each in _SHELLS if os.access(each, os.X_OK)), _SHELLS[-1])
    return (shell, "-c", command)


def edits_of(declared: FileArguments, arguments: Arguments) -> tuple[FileEdit, ...]:
    """The edits that a call asks for, by the declaration of its tool.

    Arguments that the declaration does not name are not looked at.

    Raises:
        GuardError: `arguments-do-not-fit`: one is missing or of another type.
    """
    match declared.edit:
        case "replace":
            made = _replacement(arguments, declared.old, declared.new)
            return (Rewrite(path=_text(arguments, declared.path), edits=(made,)),)
        case "edits":
            pairs = _pairs(arguments, declared)
            return (Rewrite(path=_text(arguments, declared.path), edits=pairs),)
        case "whole":
            content = _content(arguments, declared.content)
            return (Whole(path=_text(arguments, declared.path), content=content),)
        case "create":
            content = _content(arguments, declared.content)
            return (Create(path=_text(arguments, declared.path), content=content),)
        case "patch":
            path = _text(arguments, declared.path) if declared.path in arguments else None
            return (Patch(text=_text(arguments, declared.patch), path=path),)
        case "delete":
            return (Delete(path=_text(arguments, declared.path)),)
        case "move":
            to = _text(arguments, declared.to)
            return (Move(path=_text(arguments, declared.path), to=to),)
        case "mode":
            return (SetMode(path=_text(arguments, declared.path), mode=_mode(arguments, declared)),)
        case _:
            assert_never(declared.edit)


def paths_read(paths: tuple[str, ...], arguments: Arguments) -> tuple[str, ...]:
    """The paths that stand in these arguments, in texts or lists of texts; others may be missing.

    Raises:
        GuardError: `arguments-do-not-fit`.
    """
    found: list[str] = []
    for name in paths:
        value = arguments.get(name)
        if isinstance(value, list):
            found += [_is_text(name, each) for each in value]
        elif value is not None:
            found.append(_is_text(name, value))
    return tuple(found)


def _pairs(arguments: Arguments, declared: FileArguments) -> tuple[Replace, ...]:
    given = arguments.get(declared.edits)
    if not isinstance(given, list) or not given:
        raise _misfit(declared.edits, "a list of replacements")
    pairs = []
    for each in given:
        if not isinstance(each, dict):
            raise _misfit(declared.edits, "a list of replacements")
        pairs.append(_replacement(each, declared.old, declared.new))
    return tuple(pairs)


def _replacement(arguments: Arguments, old: str, new: str) -> Replace:
    return Replace(old=_text(arguments, old), new=_text(arguments, new))


def _mode(arguments: Arguments, declared: FileArguments) -> int:
    text = _text(arguments, declared.mode)
    if not _OCTAL.fullmatch(text):
        raise _misfit(declared.mode, "three octal digits in a text, such as 755")
    return int(text, 8)


def _content(arguments: Arguments, name: str) -> bytes:
    return _text(arguments, name).encode()


def _text(arguments: Arguments, name: str) -> str:
    return _is_text(name, arguments.get(name))


def _is_text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise _misfit(name, "a text")
    return value


def _misfit(name: str, wanted: str) -> GuardError:
    return GuardError(
        "arguments-do-not-fit",
        f"The argument {name!r} of the call is not {wanted}; nothing ran. Make it differently.",
    )
