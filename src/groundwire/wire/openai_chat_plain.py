"""Plain messages of OpenAI chat completions: read in one go, where nothing about them is special.

Most messages are a role with a text, with calls of functions or with the result of one, spelled as
short as JSON can be. All their members are known, so nothing is left to be listed as unread. What
is made or spelled otherwise is for `openai_chat`, which would say the same of these, more slowly.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, Raw, UnsetType

from groundwire.documents.call import ToolCall
from groundwire.documents.frame import CallPart, Part, ResultPart, Role, Text


class _Function(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    name: str
    arguments: str


class _Call(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    id: str
    function: _Function
    type: Literal["function"]


class _Message(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | UnsetType | None = UNSET
    tool_calls: list[_Call] | UnsetType = UNSET
    tool_call_id: str | UnsetType = UNSET


_DECODER = msgspec.json.Decoder(_Message)
_ENCODER = msgspec.json.Encoder()


def read_plain(raw: bytes | Raw) -> tuple[Role, tuple[Part, ...]] | None:
    """Role and parts of a plain message; None for any other, which may still be a message."""
    try:
        message = _DECODER.decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    # No spelling is shorter than the encoder's. So white space, escapes that need not be, and a
    # member that was overridden by one of the same name all make the message longer than this.
    if len(_ENCODER.encode(message)) != len(raw):
        return None
    content = message.content or ""  # UNSET is false, too
    if message.role == "tool":
        return _result(message, content)
    if message.tool_call_id is not UNSET:
        return None
    parts: list[Part] = [Text(content)] if content else []
    for call in message.tool_calls or ():
        inner = call.function
        parts.append(CallPart(ToolCall(id=call.id, name=inner.name, arguments=inner.arguments)))
    role: Role = "system" if message.role == "developer" else message.role
    return role, tuple(parts)


def _result(message: _Message, content: str) -> tuple[Role, tuple[Part, ...]] | None:
    if message.tool_call_id is UNSET or message.tool_calls is not UNSET:
        return None
    return "tool", (ResultPart(message.tool_call_id, content),)
