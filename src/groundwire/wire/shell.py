"""Shell: what a request body says beside its messages."""

from __future__ import annotations

import msgspec
from msgspec import Raw

from groundwire.canon import jcs
from groundwire.documents.frame import Part, ToolSpec
from groundwire.errors import EncodingError
from groundwire.wire import anthropic, scan
from groundwire.wire.layout import close_shell
from groundwire.wire.reading import Fields, Reading, json_text
from groundwire.wire.tools import read_tools

_MESSAGES = {"openai-chat": "messages", "openai-responses": "input", "anthropic": "messages"}
_SYSTEM = {"openai-responses": "instructions", "anthropic": "system"}
_HELD = {"openai-responses": ("previous_response_id", "conversation", "prompt")}


class Shell(msgspec.Struct, frozen=True, kw_only=True):
    """The frame without its messages; `unread` are pointers into the body."""

    model: str
    system: tuple[Part, ...]
    tools: tuple[ToolSpec, ...]
    parameters: str
    stream: bool
    held: str | None
    unread: tuple[str, ...]


def read_shell(before: bytes, after: bytes, provider: str) -> Shell:
    """Every member of the body but the messages.

    What stands in `parameters` is every member that is not model, system prompt, tools or stream.

    Raises:
        EncodingError: `not-json`, `not-an-object`, `too-deep`.
    """
    reading = Reading()
    fields = Fields(close_shell(before, after), "", reading)
    fields.take(_MESSAGES[provider])
    system = reading.inner()
    name = _SYSTEM.get(provider)
    prompt = fields.take(name) if name else None
    if name and prompt is not None:
        anthropic.read_system(prompt, f"/{name}", system)
    tools: tuple[ToolSpec, ...] = ()
    for key in ("tools", "functions"):
        values = fields.elements(key)
        if values is not None:
            tools += read_tools(values, f"/{key}", reading.unread)
    model, stream = fields.text("model") or "", fields.flag("stream")
    held = _held(fields, _HELD.get(provider, ()))
    return Shell(
        model=model,
        system=tuple(system.parts),
        tools=tools,
        parameters=_parameters(fields.left()),
        stream=stream,
        held=held,
        unread=tuple(reading.unread),
    )


def _held(fields: Fields, names: tuple[str, ...]) -> str | None:
    """The id of what the provider keeps for the client: a text, or an object with an `id`."""
    for name in names:
        value = fields.peek(name)
        if value is None:
            continue
        if scan.first(value) == b'"' and (text := scan.text(value)):
            return text
        if scan.first(value) == b"{":
            return Fields(value, "", Reading()).text("id") or name
    return None


def _parameters(members: dict[str, Raw]) -> str:
    """The canonical JSON of an object; values without a canonical form stand as they came."""
    ordered = sorted(members, key=lambda name: name.encode("utf-16-be"))
    pieces = [jcs.encode(name) + b":" + _canonical(members[name]) for name in ordered]
    return (b"{" + b",".join(pieces) + b"}").decode("utf-8", "replace")


def _canonical(raw: Raw) -> bytes:
    try:
        found = jcs.decode_foreign(bytes(raw))
        return bytes(raw) if found.duplicates else jcs.encode(found.value)
    except EncodingError:
        return json_text(raw).encode("utf-8")
