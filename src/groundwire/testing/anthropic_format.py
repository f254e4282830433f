"""Anthropic messages, as the provider writes them: one document, or a stream of named events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from groundwire.testing.turns import Document, Failure, Identity, Turn, pieces, written_tokens

_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def whole(request: Document, turn: Turn, identity: Identity, asked: int) -> Document:
    """The message as one document. `asked` is the size of the request in bytes.

    A call's arguments stand in it as the JSON text they are.
    """
    return {
        **_head(request, identity),
        "content": [block.finished for block in _blocks(turn, identity)],
        "stop_reason": _stop(turn),
        "stop_sequence": None,
        "usage": _usage(asked, written_tokens(turn)),
    }


def events(request: Document, turn: Turn, identity: Identity, asked: int) -> Iterator[bytes]:
    """The message as server-sent events, with a ping after its first block has begun."""
    opening = _head(request, identity) | {
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _usage(asked, 1),
    }
    yield _event("message_start", {"message": opening})
    for index, block in enumerate(_blocks(turn, identity)):
        yield _event("content_block_start", {"index": index, "content_block": block.begun})
        if index == 0:
            yield b'event: ping\ndata: {"type": "ping"}\n\n'
        for delta in block.deltas:
            yield _event("content_block_delta", {"index": index, "delta": delta})
        yield _event("content_block_stop", {"index": index})
    stop = {"stop_reason": _stop(turn), "stop_sequence": None}
    usage = _usage(asked, written_tokens(turn))
    del usage["cache_creation"], usage["service_tier"]
    yield _event("message_delta", {"delta": stop, "usage": usage})
    yield _event("message_stop", {})


def failure(failed: Failure, identity: Identity) -> Document:
    """The error document that goes with a status."""
    kind = _KINDS.get(failed.status, "api_error")
    error = {"type": kind, "message": failed.message}
    return {"type": "error", "error": error, "request_id": identity.id("req_", 24)}


def _event(kind: str, fields: Document) -> bytes:
    document = msgspec.json.encode({"type": kind, **fields})
    return f"event: {kind}\ndata: ".encode() + document + b"\n\n"


class _Block(NamedTuple):
    begun: Document
    deltas: list[Document]
    finished: Document


def _blocks(turn: Turn, identity: Identity) -> list[_Block]:
    blocks: list[_Block] = []
    if turn.reasoning:
        signature = identity.id("", 64)
        parts = pieces(turn.reasoning, turn.piece)
        deltas: list[Document] = [{"type": "thinking_delta", "thinking": part} for part in parts]
        deltas.append({"type": "signature_delta", "signature": signature})
        begun: Document = {"type": "thinking", "thinking": "", "signature": ""}
        finished = begun | {"thinking": turn.reasoning, "signature": signature}
        blocks.append(_Block(begun, deltas, finished))
    if turn.text:
        deltas = [{"type": "text_delta", "text": part} for part in pieces(turn.text, turn.piece)]
        begun = {"type": "text", "text": ""}
        blocks.append(_Block(begun, deltas, begun | {"text": turn.text}))
    for index, call in enumerate(turn.calls):
        kind = "input_json_delta"
        parts = pieces(call.arguments, turn.piece)
        deltas = [{"type": kind, "partial_json": part} for part in ("", *parts)]
        called = identity.call_id(call, index, "toolu_")
        begun = {"type": "tool_use", "id": called, "name": call.name, "input": {}}
        finished = begun | {"input": msgspec.Raw(call.arguments.encode())}
        blocks.append(_Block(begun, deltas, finished))
    return blocks


def _head(request: Document, identity: Identity) -> Document:
    return {
        "model": request.get("model"),
        "id": identity.id("msg_", 24),
        "type": "message",
        "role": "assistant",
    }


def _stop(turn: Turn) -> str:
    return turn.stop or ("tool_use" if turn.calls else "end_turn")


def _usage(asked: int, written: int) -> Document:
    return {
        "input_tokens": (asked + 3) // 4,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": written,
        "service_tier": "standard",
    }
