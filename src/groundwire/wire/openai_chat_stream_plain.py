"""Plain streams of OpenAI chat completions: read in one go, where nothing about them is special.

Most streams are chunks of one choice that hand over a text or calls of functions, spelled as short
as JSON can be, each an event of one line, and `[DONE]`. What is made or spelled otherwise is for
`openai_chat_stream`, which would say the same of these, more slowly.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, Raw, UnsetType

from groundwire.documents.call import ToolCall
from groundwire.documents.frame import CallPart
from groundwire.wire import scan
from groundwire.wire.answer import Answer
from groundwire.wire.reading import Fields, Reading, usage_of

_START, _END = b"data: ", b"\n\ndata: [DONE]\n\n"
# Of these nothing is made, so they are listed as unread where they say something.
_UNREAD = ("created", "service_tier", "system_fingerprint", "obfuscation")


class _Function(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    name: str | UnsetType = UNSET
    arguments: str | UnsetType = UNSET


class _Call(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    index: int
    function: _Function
    id: str | UnsetType = UNSET
    type: Literal["function"] | UnsetType = UNSET


class _Delta(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    role: Literal["assistant"] | UnsetType | None = UNSET
    content: str | UnsetType | None = UNSET
    refusal: UnsetType | None = UNSET
    tool_calls: list[_Call] | UnsetType | None = UNSET


class _Choice(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    index: Literal[0]
    delta: _Delta
    finish_reason: str | UnsetType | None = UNSET
    logprobs: UnsetType | None = UNSET


class _Chunk(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    id: str
    object: Literal["chat.completion.chunk"]
    model: str
    choices: list[_Choice]
    created: int | UnsetType = UNSET
    service_tier: str | UnsetType | None = UNSET
    system_fingerprint: str | UnsetType | None = UNSET
    obfuscation: str | UnsetType | None = UNSET
    usage: Raw | UnsetType = UNSET


class _Made(msgspec.Struct, gc=False):
    """A call under way."""

    id: str
    name: str
    pieces: list[str]


_DECODER = msgspec.json.Decoder(_Chunk)
_ENCODER = msgspec.json.Encoder()


def read_plain_stream(body: bytes) -> Answer | None:
    """The answer of a plain stream that came to its end; None for any other."""
    if not (body.startswith(_START) and body.endswith(_END)):
        return None
    raws = body[len(_START) : -len(_END)].split(b"\n\n" + _START)
    try:
        chunks = [_DECODER.decode(raw) for raw in raws]
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    # No spelling is shorter than the encoder's, see `openai_chat_plain`; a line feed is white space.
    if any(
        len(_ENCODER.encode(chunk)) != len(raw) for chunk, raw in zip(chunks, raws, strict=True)
    ):
        return None
    first = chunks[0]
    stated = _stated(first)
    if not (first.id and first.model) or any(_stated(chunk) != stated for chunk in chunks[1:]):
        return None
    answer = Answer(id=first.id, model=first.model, usage={}, error=None)
    if not _take(answer, chunks):
        return None
    names = [name for name, says in zip(_UNREAD, stated[2:], strict=True) if says]
    # A quote inside a text has a backslash before it, so this is the member and no text.
    names.sort(key=lambda name: raws[0].find(b'"' + name.encode() + b'":'))
    answer.reading.unread += ["/" + name for name in names]
    return answer


def _stated(chunk: _Chunk) -> tuple[object, ...]:
    """What every chunk says alike; of what hides the length of a chunk only that it is there."""
    return (
        chunk.id,
        chunk.model,
        chunk.created is not UNSET,
        chunk.service_tier or "",  # UNSET is false, too
        chunk.system_fingerprint or "",
        bool(chunk.obfuscation),
    )


def _take(answer: Answer, chunks: list[_Chunk]) -> bool:
    """The chunks are in the answer; False where one is not plain after all."""
    texts: list[str] = []
    calls: dict[int, _Made] = {}
    usage: Raw | UnsetType = UNSET
    for chunk in chunks:
        if chunk.usage is not UNSET and bytes(chunk.usage) != b"null":
            usage = chunk.usage
            # In the first chunk its members could be taken for the chunk's own, see `names`.
            if chunk is chunks[0] or scan.first(usage) != b"{":
                return False
        for choice in chunk.choices:
            if isinstance(choice.finish_reason, str):
                answer.stop = choice.finish_reason
            texts.append(choice.delta.content or "")
            for piece in choice.delta.tool_calls or ():
                if not _take_piece(calls, piece):
                    return False
    if usage is not UNSET:
        answer.usage = usage_of(Fields(b'{"usage":%b}' % bytes(usage), "", answer.reading), "usage")
    _add_parts(answer.reading, "".join(texts), calls)
    return True


def _take_piece(calls: dict[int, _Made], piece: _Call) -> bool:
    made, inner = calls.get(piece.index), piece.function
    if inner.arguments is UNSET:
        return False
    if made is not None:
        made.pieces.append(inner.arguments)
        return piece.id is UNSET and piece.type is UNSET and inner.name is UNSET
    if not piece.id or not inner.name or piece.type is UNSET or piece.index != len(calls):
        return False
    calls[piece.index] = _Made(piece.id, inner.name, [inner.arguments])
    return True


def _add_parts(reading: Reading, text: str, calls: dict[int, _Made]) -> None:
    reading.add_text(text)
    for made in calls.values():
        call = ToolCall(id=made.id, name=made.name, arguments="".join(made.pieces))
        reading.add(CallPart(call))
