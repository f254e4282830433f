"""Outputs: the schemas that a policy names by file, read once and put into it whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from groundwire.authority.reading.governing.outputs import schema_text
from groundwire.canon.jcs import JSON
from groundwire.contracts.reading.unreadable import Unreadable
from groundwire.documents.declaration import OutputSource
from groundwire.documents.policy import Policy, ToolDeclaration
from groundwire.errors import PolicyError

if TYPE_CHECKING:
    from groundwire.contracts.openapi.description import Description

MAX_FILE: Final = 128 << 20
"""Bytes of one file; what is read of more than one is bounded by who reads descriptions."""


def with_outputs(policy: Policy, folder: Path) -> Policy:
    """The policy with the text of every schema that its tools name by a file below `folder`.

    A tool whose schema stands in it already keeps that. What is written in the files later is not
    looked at: the policy is what it is for as long as it lives.

    Raises:
        PolicyError: `output-unreadable`: a file is not there, is not what it should be, or does not
            say what it is named for; `output-schema-unusable`.
    """
    if not any(_is_open(tool) for tool in policy.tools):
        return policy
    opened = _Opened(folder)
    tools = tuple(_with_output(tool, opened) if _is_open(tool) else tool for tool in policy.tools)
    return msgspec.structs.replace(policy, tools=tools)


def _is_open(tool: ToolDeclaration) -> bool:
    return tool.output is not None and tool.output.kind != "mcp" and not tool.output_schema


def _with_output(tool: ToolDeclaration, opened: _Opened) -> ToolDeclaration:
    if tool.output is None:
        return tool
    try:
        text = schema_text(opened.schema(tool.output))
    except Unreadable as error:
        line = f", line {error.line}" if error.line else ""
        place = f"{tool.output.file}{line} ({error.reason}): {error.says}"
        raise PolicyError(
            "output-unreadable", f"the output of the tool {tool.name!r} is not known: {place}"
        ) from error
    except PolicyError as error:
        raise PolicyError(
            error.reason,
            f"the output of the tool {tool.name!r}, in {tool.output.file}: {error.message}",
        ) from error
    return msgspec.structs.replace(tool, output_schema=text)


class _Opened:
    """The files below a folder, each description opened once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._descriptions: dict[str, Description] = {}

    def schema(self, output: OutputSource) -> JSON:
        """What is written where `output` says.

        Raises:
            Unreadable: it cannot be read, or does not say it.
        """
        # Loaded where a tool names a file: most policies name none.
        from groundwire.contracts.openapi.outputs import output_schema  # noqa: PLC0415 -- see above
        from groundwire.contracts.schema_files import open_schema  # noqa: PLC0415 -- see above

        if output.kind == "operation":
            return output_schema(self._description(output.file), output.operation, output.status)
        opened = open_schema(output.file, self._read)
        if opened.unread:
            pointer, reason = next(iter(opened.unread.items()))
            raise Unreadable(
                "output-unreadable", f"What stands at {pointer} is not read: {reason}."
            )
        return opened.root

    def _description(self, file: str) -> Description:
        from groundwire.contracts.openapi.opening.opening import (  # noqa: PLC0415 -- see above
            open_description,
        )

        if file not in self._descriptions:
            self._descriptions[file] = open_description(file, self._read)
        return self._descriptions[file]

    def _read(self, name: str) -> bytes | None:
        return _read(self._folder / name)


def _read(path: Path) -> bytes | None:
    """The bytes of a file; None where none can be read."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except (OSError, ValueError):
        return None
    if len(data) > MAX_FILE:
        raise Unreadable("too-large", f"The file has over {MAX_FILE >> 20} MiB.")
    return data
