"""Conversations as their makers kept them: lists of messages in a provider's own form.

A conversation may also hold whole response objects where the assistant's messages would stand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from msgspec import Raw

from groundwire.documents.frame import Frame, Message, Response
from groundwire.errors import EncodingError
from groundwire.wire import anthropic, openai_chat, openai_responses, scan
from groundwire.wire.answer import Answer
from groundwire.wire.decoder import Decoder, decode_response, recognise
from groundwire.wire.fragments import list_of, object_of, text_of
from groundwire.wire.imported import ImportedRun, Setting, Turn, reconstruct
from groundwire.wire.providers import undecoded
from groundwire.wire.reading import Read, type_of
from groundwire.wire.shell import read_shell
from groundwire.wire.split import MESSAGE_FIELDS, Splitter

_ANTHROPIC_BLOCKS = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking"})
# A member that only a response has, the list it needs to have with it, and whose it is.
_ANSWERS = {
    "choices": ("choices", "openai-chat"),
    "output": ("output", "openai-responses"),
    "stop_reason": ("content", "anthropic"),
}
_NONE = Raw(b"null")
_FORMATS = {
    "openai-chat": "openai-messages",
    "openai-responses": "openai-items",
    "anthropic": "anthropic-messages",
}


class _Form(msgspec.Struct, frozen=True):
    """The readers of a provider's form."""

    provider: str
    read_message: Callable[[bytes], Read]
    read_answer: Callable[[bytes], Answer]


_FORMS = {
    "openai-chat": _Form("openai-chat", openai_chat.read_message, openai_chat.read_answer),
    "openai-responses": _Form(
        "openai-responses", openai_responses.read_message, openai_responses.read_answer
    ),
    "anthropic": _Form("anthropic", anthropic.read_message, anthropic.read_answer),
}


def read_conversation(row: dict[str, Raw], line: int) -> ImportedRun:
    """The conversation in a document with `messages` (or `input`) and what was sent beside them.

    Raises:
        EncodingError: `messages-not-a-list`, `not-a-message`, `not-json`.
    """
    field = "messages" if "messages" in row else "input"
    values = _message_list(row[field], may_be_text=field == "input")
    provider = "openai-responses" if field == "input" else provider_of(row, values)
    answers = [row[name] for name in ("response", "completion") if name in row]
    rest = {
        name: value
        for name, value in row.items()
        if name not in {field, "response", "completion", "id", "run_id"}
    }
    setting = _setting(rest, provider)
    conversation = Conversation(provider, setting)
    for value in values + answers:
        conversation.add(value)
    run = conversation.run(line)
    run_id = text_of(row.get("run_id")) or text_of(row.get("id"))
    return msgspec.structs.replace(run, run_id=run_id or run.run_id)


class Conversation:
    """Messages and response objects of one provider's form, put in one after the other."""

    def __init__(self, provider: str, setting: Setting | None = None) -> None:
        self._form = _FORMS[provider]
        self._setting = setting or Setting(provider=provider)
        self._turns: list[Turn] = []
        self._count = 0

    def add(self, value: Raw) -> None:
        """The value is the conversation's next message.

        Raises:
            EncodingError: `not-a-message`, `not-json`; the conversation is as it was before then.
        """
        index, self._count = self._count, self._count + 1
        members = object_of(value)
        is_text = self._form.provider == "openai-responses" and scan.first(value) == b'"'
        if members is None and not is_text:
            raise EncodingError("not-a-message", f"Message {index} is no JSON object.")
        if members is not None and is_answer(members):
            self._turns.append(_answered(value, self._form, self._setting.model))
        else:
            self._turns.append(_said(value, index, self._form, self._setting.model))

    def run(self, line: int, notes: tuple[str, ...] = ()) -> ImportedRun:
        """The run made of all that was put in."""
        provider = self._form.provider
        turns = _joined(self._turns) if provider == "openai-responses" else self._turns
        steps = reconstruct(turns, self._setting)
        answers = [step for step in steps if isinstance(step, Response)]
        return ImportedRun(
            run_id=f"line-{line}",
            model=self._setting.model or next((each.model for each in answers), ""),
            format=_FORMATS[provider],
            steps=steps,
            declared=tuple([tool.name for tool in self._setting.tools]),
            notes=notes,
            line=line,
        )


def read_exchange(row: dict[str, Raw], line: int) -> ImportedRun:
    """A request body and the response to it, which some recorders write side by side.

    Raises:
        EncodingError: `provider-not-decoded`, and whatever splitter and decoder refuse.
    """
    request = row["request"]
    provider = _provider_of_exchange(row, request)
    split = Splitter().split(bytes(request), provider)
    frame = Decoder().frame(split, provider)
    bare = tuple([msgspec.structs.replace(message, raw=b"") for message in frame.messages])
    steps: list[Frame | Response] = [msgspec.structs.replace(frame, messages=bare)]
    notes: list[str] = []
    try:
        steps += _response_of(row, provider)
    except EncodingError as error:
        notes.append(f"The response could not be read ({error.reason}): {error.message}")
    return ImportedRun(
        run_id=text_of(row.get("run_id")) or text_of(row.get("id")) or f"line-{line}",
        model=frame.model,
        format="exchanges",
        steps=tuple(steps),
        declared=tuple([tool.name for tool in frame.tools]),
        notes=tuple(notes),
        line=line,
    )


def _response_of(row: dict[str, Raw], provider: str) -> list[Response]:
    answer, text = row.get("response"), text_of(row.get("response_text"))
    if answer is not None and scan.first(answer) == b"{":
        return [decode_response(bytes(answer), provider, streamed=False)]
    if text is not None:
        return [decode_response(text.encode("utf-8"), provider, streamed=True)]
    return []


def is_answer(members: dict[str, Raw]) -> bool:
    """Whether an object is a whole response, not just a message."""
    return _answer_of(members) is not None


def _answer_of(members: dict[str, Raw]) -> str | None:
    """Whose response object this is; None where it is none."""
    for name, (content, provider) in _ANSWERS.items():
        if name in members and scan.first(members.get(content, _NONE)) == b"[":
            return provider
    return None


def _message_list(value: Raw, *, may_be_text: bool) -> list[Raw]:
    if may_be_text and scan.first(value) == b'"':
        return [value]
    if scan.first(value) != b"[":
        raise EncodingError("messages-not-a-list", "The conversation is no list of messages.")
    return scan.elements(value)


def provider_of(row: dict[str, Raw], values: Sequence[Raw]) -> str:
    """Whose form a conversation has; OpenAI's where nothing tells.

    Told by what only one provider has: its blocks, its items, its system prompt, its tools.
    """
    if "system" in row or any("input_schema" in (object_of(t) or {}) for t in _tools(row)):
        return "anthropic"
    for value in values:
        members = object_of(value) or {}
        answer = _answer_of(members)
        if answer is not None:
            return answer
        if "role" not in members and "type" in members:
            return "openai-responses"
        if any(type_of(block) in _ANTHROPIC_BLOCKS for block in list_of(members.get("content"))):
            return "anthropic"
    return "openai-chat"


def _tools(row: dict[str, Raw]) -> list[Raw]:
    return list_of(row.get("tools"))


def _provider_of_exchange(row: dict[str, Raw], request: Raw) -> str:
    path = text_of(row.get("path")) or text_of(row.get("url")) or ""
    stated = text_of(row.get("provider")) or recognise("", path) or undecoded("", path)
    if stated is None:
        members = object_of(request) or {}
        stated = (
            "openai-responses"
            if "input" in members
            else provider_of(members, list_of(members.get("messages")))
        )
    if stated not in MESSAGE_FIELDS:
        raise EncodingError(
            "provider-not-decoded", f"Exchanges with {stated!r} are not read by this version."
        )
    return stated


def _setting(rest: dict[str, Raw], provider: str) -> Setting:
    shell = read_shell(msgspec.json.encode(rest), b"", provider)
    return Setting(
        provider=provider,
        model=shell.model,
        system=shell.system,
        tools=shell.tools,
        parameters=shell.parameters,
        unread=shell.unread,
    )


def _said(value: Raw, index: int, form: _Form, model: str) -> Turn:
    read = form.read_message(bytes(value))
    message = msgspec.structs.replace(read.message, raw=b"")
    field = MESSAGE_FIELDS[form.provider]
    unread = tuple([f"/{field}/{index}{pointer}" for pointer in read.unread])
    answer = None
    if message.role == "assistant":
        answer = Response(
            provider=form.provider,
            id="",
            model=model,
            parts=message.parts,
            stop=None,
            usage={},
            complete=True,
            content_digest=message.content_digest,
            opaque=unread,
        )
    return Turn(messages=(message,), unread=unread, answer=answer)


def _answered(value: Raw, form: _Form, model: str) -> Turn:
    response = form.read_answer(bytes(value)).response(form.provider, complete=True)
    if not response.model:
        response = msgspec.structs.replace(response, model=model)
    message = Message(
        role="assistant", parts=response.parts, raw=b"", content_digest=response.content_digest
    )
    messages = (message,) if response.parts else ()
    return Turn(messages=messages, unread=response.opaque, answer=response)


def _joined(turns: list[Turn]) -> list[Turn]:
    """Items that the model gave one after the other, made one answer."""
    joined: list[Turn] = []
    for turn in turns:
        last = joined[-1] if joined else None
        if turn.answer is None or turn.answer.id or last is None or last.answer is None:
            joined.append(turn)
            continue
        parts = last.answer.parts + turn.answer.parts
        digests = [message.content_digest for message in last.messages + turn.messages]
        answer = msgspec.structs.replace(
            last.answer,
            parts=parts,
            opaque=last.answer.opaque + turn.answer.opaque,
            item_digests=tuple(digests),
        )
        joined[-1] = Turn(
            messages=last.messages + turn.messages,
            unread=last.unread + turn.unread,
            answer=answer,
        )
    return joined
