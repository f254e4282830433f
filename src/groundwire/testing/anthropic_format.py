"""Anthropic messages, as the provider writes them: one document, or a stream of named events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from groundwire.testing.turns import Failure, Identity, Turn, pieces, written_tokens

_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def whole(request: dict[str, Any], turn: Turn, identity: Identity, asked: int) -> dict[str, Any]:
    """The message as one document. `asked` is the size of the request in bytes.

    A call's arguments stand in it as the JSON text they are.
    """
    return {
        **_head(request, identity),
        "content": [_finished(block) for block in _blocks(turn, identity)],
        "stop_reason": _stop(turn),
        "stop_sequence": None,
        "usage": _usage(asked, written_tokens(turn)),
    }


def events(request: dict[str, Any], turn: Turn, identity: Identity, asked: int) -> Iterator[bytes]:
    """The message as server-sent events, with a ping after its first block has begun."""
    opening = _head(request, identity) | {
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _usage(asked, 1),
    }
    yield _event("message_start", {"message": opening})
    for index, block in enumerate(_blocks(turn, identity)):
        yield _event("content_block_start", {"index": index, "content_block": _begun(block)})
        if index == 0:
            yield b'event: ping\ndata: {"type": "ping"}\n\n'
        for delta in _deltas(block, turn.piece):
            yield _event("content_block_delta", {"index": index, "delta": delta})
        yield _event("content_block_stop", {"index": index})
    stop = {"stop_reason": _stop(turn), "stop_sequence": None}
    usage = _usage(asked, written_tokens(turn))
    del usage["cache_creation"], usage["service_tier"]
    yield _event("message_delta", {"delta": stop, "usage": usage})
    yield _event("message_stop", {})


def failure(failed: Failure, identity: Identity) -> dict[str, Any]:
    """The error document that goes with a status."""
    kind = _KINDS.get(failed.status, "api_error")
    error = {"type": kind, "message": failed.message}
    return {"type": "error", "error": error, "request_id": identity.id("req_", 24)}


def _event(kind: str, fields: dict[str, Any]) -> bytes:
    document = msgspec.json.encode({"type": kind, **fields})
    return f"event: {kind}\ndata: ".encode() + document + b"\n\n"


def _blocks(turn: Turn, identity: Identity) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if turn.reasoning:
        signature = identity.id("", 64)
        blocks.append({"type": "thinking", "thinking": turn.reasoning, "signature": signature})
    if turn.text:
        blocks.append({"type": "text", "text": turn.text})
    for index, call in enumerate(turn.calls):
        called = {"id": identity.call_id(call, index, "toolu_"), "name": call.name}
        blocks.append({"type": "tool_use", **called, "input": call.arguments})
    return blocks


def _begun(block: dict[str, Any]) -> dict[str, Any]:
    empty = {"thinking": "", "signature": "", "text": "", "input": {}}
    return block | {name: value for name, value in empty.items() if name in block}


def _finished(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] != "tool_use":
        return block
    return block | {"input": msgspec.Raw(block["input"].encode())}


def _deltas(block: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
    match block["type"]:
        case "thinking":
            for text in pieces(block["thinking"], size):
                yield {"type": "thinking_delta", "thinking": text}
            yield {"type": "signature_delta", "signature": block["signature"]}
        case "text":
            for text in pieces(block["text"], size):
                yield {"type": "text_delta", "text": text}
        case _:
            yield {"type": "input_json_delta", "partial_json": ""}
            for text in pieces(block["input"], size):
                yield {"type": "input_json_delta", "partial_json": text}


def _head(request: dict[str, Any], identity: Identity) -> dict[str, Any]:
    return {
        "model": request.get("model"),
        "id": identity.id("msg_", 24),
        "type": "message",
        "role": "assistant",
    }


def _stop(turn: Turn) -> str:
    return turn.stop or ("tool_use" if turn.calls else "end_turn")


def _usage(asked: int, written: int) -> dict[str, Any]:
    return {
        "input_tokens": (asked + 3) // 4,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": written,
        "service_tier": "standard",
    }
