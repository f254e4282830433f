"""OpenAI chat completions, as the provider writes them: one document, or a stream of chunks."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from groundwire.testing.turns import (
    Document,
    Failure,
    Identity,
    Turn,
    pieces,
    tokens,
    written_tokens,
)

CREATED = 1_767_225_600
_FINGERPRINT = "fp_5ca1ab1e00"


def whole(request: Document, turn: Turn, identity: Identity, asked: int) -> Document:
    """The completion as one document. `asked` is the size of the request in bytes."""
    message: Document = {"role": "assistant", "content": turn.text or None}
    if turn.calls:
        message["tool_calls"] = [
            {
                "id": identity.call_id(call, index, "call_"),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for index, call in enumerate(turn.calls)
        ]
    message |= {"refusal": None, "annotations": []}
    return {
        **_head(request, identity, "chat.completion"),
        "choices": [
            {"index": 0, "message": message, "logprobs": None, "finish_reason": _stop(turn)}
        ],
        "usage": _usage(turn, asked),
        **_tail(),
    }


def events(request: Document, turn: Turn, identity: Identity, asked: int) -> Iterator[bytes]:
    """The completion as server-sent events, the usage chunk only where it was asked for."""
    options = request.get("stream_options")
    usage = isinstance(options, dict) and options.get("include_usage") is True
    head = {**_head(request, identity, "chat.completion.chunk"), **_tail()}
    padding = identity.id("", 32)

    def chunk(choices: list[Document], count: Document | None = None) -> bytes:
        document = {**head, "choices": choices}
        if usage:
            document["usage"] = count
        document["obfuscation"] = padding[: 1 + len(msgspec.json.encode(choices)) % 16]
        return b"data: " + msgspec.json.encode(document) + b"\n\n"

    def choice(delta: Document, stop: str | None = None) -> list[Document]:
        return [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": stop}]

    opening = None if turn.calls and not turn.text else ""
    yield chunk(choice({"role": "assistant", "content": opening, "refusal": None}))
    for text in pieces(turn.text, turn.piece):
        yield chunk(choice({"content": text}))
    for index, call in enumerate(turn.calls):
        started = {
            "index": index,
            "id": identity.call_id(call, index, "call_"),
            "type": "function",
            "function": {"name": call.name, "arguments": ""},
        }
        yield chunk(choice({"tool_calls": [started]}))
        for text in pieces(call.arguments, turn.piece):
            part = {"index": index, "function": {"arguments": text}}
            yield chunk(choice({"tool_calls": [part]}))
    yield chunk(choice({}, _stop(turn)))
    if usage:
        yield chunk([], _usage(turn, asked))
    yield b"data: [DONE]\n\n"


def failure(failed: Failure, identity: Identity) -> Document:  # noqa: ARG001 -- one form for all
    """The error document that goes with a status."""
    kinds = {429: "rate_limit_exceeded", 401: "invalid_api_key", 400: "invalid_request_error"}
    code = kinds.get(failed.status, "server_error" if failed.status >= 500 else "not_found")
    kind = "requests" if failed.status == 429 else code
    return {"error": {"message": failed.message, "type": kind, "param": None, "code": code}}


def _head(request: Document, identity: Identity, kind: str) -> Document:
    return {
        "id": identity.id("chatcmpl-", 29),
        "object": kind,
        "created": CREATED,
        "model": request.get("model"),
    }


def _tail() -> Document:
    return {"service_tier": "default", "system_fingerprint": _FINGERPRINT}


def _stop(turn: Turn) -> str:
    return turn.stop or ("tool_calls" if turn.calls else "stop")


def _usage(turn: Turn, asked: int) -> Document:
    read, written = (asked + 3) // 4, written_tokens(turn)
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": tokens(turn.reasoning),
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }
