"""The run format: one run a row, calls with their arguments as objects, a reference to the tools.

`run_id`, `model`, `messages[{role, content, thinking?, tool_calls[{id, name, arguments}],
tool_call_id?, name?}]` and `schema_text`, which holds the tools' schemas or, beginning with `@`,
names a set of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from msgspec import Raw

from groundwire.documents.frame import Reasoning, Response, ResultPart, Role, ToolSpec
from groundwire.errors import EncodingError
from groundwire.wire import scan
from groundwire.wire.imported import ImportedRun, Setting, Turn, message_of, reconstruct
from groundwire.wire.openai_chat import read_block
from groundwire.wire.reading import Fields, Reading, call_part, read_blocks, read_content
from groundwire.wire.tools import read_tools

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}
# A line `name: what it does` begins a tool where the schema is told in prose.
_PROSE_TOOL = re.compile(r"^([a-z][a-z0-9_]*): ", re.MULTILINE)
_FAMILIES = ("functionDeclarations", "function_declarations")


def read_run(row: Raw, line: int, tool_schemas: Mapping[str, str]) -> ImportedRun:
    """The run in this row.

    Raises:
        EncodingError: `messages-not-a-list`, `not-a-message`, `not-json`.
    """
    reading = Reading()
    fields = Fields(row, "", reading)
    values = fields.elements("messages")
    if values is None:
        raise EncodingError("messages-not-a-list", "The row's `messages` is no list.")
    notes: list[str] = []
    tools = _tools(fields.text("schema_text"), tool_schemas, notes)
    model = fields.text("model") or ""
    setting = Setting(provider="openai-chat", model=model, tools=tools)
    turns = [_turn(value, index, model) for index, value in enumerate(values)]
    unnamed = _unnamed_results(turns)
    if unnamed:
        notes.append(f"{unnamed} results name no call; their order is all that pairs them.")
    return ImportedRun(
        run_id=fields.text("run_id") or f"line-{line}",
        model=model,
        format="runs",
        steps=reconstruct(turns, setting),
        declared=tuple([tool.name for tool in tools if tool.name]),
        notes=tuple(notes),
        line=line,
    )


@lru_cache(maxsize=32)
def read_schema_text(text: str) -> tuple[ToolSpec, ...]:
    """The tools of a schema text: a JSON array, JSON lines, or prose with a tool a paragraph.

    Where none of these can be made out, one tool without a name holds all of the text.
    """
    data = text.strip().encode("utf-8", "replace")
    if data in {b"", b"null"}:
        return ()
    values = _schema_values(data)
    if values is not None:
        return read_tools(values, "/schema_text", [])
    starts = list(_PROSE_TOOL.finditer(text))
    if not starts:
        return (ToolSpec(name="", schema=text),)
    ends = [*[found.start() for found in starts[1:]], len(text)]
    return tuple(
        [
            ToolSpec(name=found[1], schema="", description=text[found.end() : end].rstrip())
            for found, end in zip(starts, ends, strict=True)
        ]
    )


def _schema_values(data: bytes) -> list[Raw] | None:
    """The tools as JSON values, those of a declared family each for itself."""
    try:
        if data[:1] == b"[":
            values = scan.elements(data)
        else:
            values = [Raw(line) for line in data.split(b"\n") if line.strip()]
        found: list[Raw] = []
        for value in values:
            members = dict(scan.pairs(value))
            family = next((members[name] for name in _FAMILIES if name in members), None)
            found += [value] if family is None else scan.elements(family)
    except EncodingError:
        return None
    return found


def _tools(
    text: str | None, tool_schemas: Mapping[str, str], notes: list[str]
) -> tuple[ToolSpec, ...]:
    if text is None:
        return ()
    if text.startswith("@"):
        known = tool_schemas.get(text)
        if known is None:
            notes.append(f"The tools {text} were not given, so nothing of their schemas is known.")
            return ()
        text = known
    return read_schema_text(text)


def _turn(value: Raw, index: int, model: str) -> Turn:
    if scan.first(value) != b"{":
        raise EncodingError("not-a-message", f"Message {index} is no JSON object.")
    reading = Reading()
    fields = Fields(value, f"/messages/{index}", reading)
    word = fields.text("role")
    role = _ROLES.get(word or "")
    if role is None:
        raise EncodingError("not-a-message", f"Message {index} has no role that is known.")
    if role == "tool":
        inner = reading.inner()
        read_content(fields, "content", inner, read_block)
        call_id, name = fields.text("tool_call_id") or "", fields.text("name")
        reading.add_result(ResultPart(call_id, "", name=name), inner)
    else:
        thinking = fields.text("thinking")
        if thinking:
            reading.add(Reasoning(thinking))
        read_content(fields, "content", reading, read_block)
        calls = fields.elements("tool_calls")
        if calls is not None:
            read_blocks(calls, fields.place("tool_calls"), reading, _read_call)
    fields.close()
    message = message_of(role, reading.parts)
    answer = None
    if role == "assistant":
        answer = Response(
            provider="openai-chat",
            id="",
            model=model,
            parts=message.parts,
            stop=None,
            usage={},
            complete=True,
            content_digest=message.content_digest,
            opaque=tuple(reading.unread),
        )
    return Turn(messages=(message,), unread=tuple(reading.unread), answer=answer)


def _read_call(fields: Fields, _kind: str) -> bool:
    name, arguments = fields.text("name"), fields.text_or_json("arguments")
    if name is None:
        return False
    fields.reading.add(call_part(fields.text("id"), name, arguments))
    return True


def _unnamed_results(turns: list[Turn]) -> int:
    return sum(
        isinstance(part, ResultPart) and not part.call_id
        for turn in turns
        for message in turn.messages
        for part in message.parts
    )
