"""OpenAI responses, as the provider writes them: one document, or a stream of numbered events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec

from groundwire.testing import openai_chat_format
from groundwire.testing.openai_chat_format import CREATED
from groundwire.testing.turns import Call, Identity, Turn, pieces, tokens, written_tokens

Made: TypeAlias = tuple[str, dict[str, Any]]

failure = openai_chat_format.failure


def whole(request: dict[str, Any], turn: Turn, identity: Identity, asked: int) -> dict[str, Any]:
    """The response as one document. `asked` is the size of the request in bytes."""
    response = _response(request, identity)
    status = turn.stop or "completed"
    return response | {
        "status": status,
        "completed_at": CREATED + 1,
        "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
        "output": _output(turn, identity),
        "service_tier": "default",
        "usage": _usage(turn, asked),
    }


def events(request: dict[str, Any], turn: Turn, identity: Identity, asked: int) -> Iterator[bytes]:
    """The response as server-sent events, each with its sequence number."""
    done = whole(request, turn, identity, asked)
    begun = _response(request, identity)
    made: list[Made] = [
        ("response.created", {"response": begun}),
        ("response.in_progress", {"response": begun}),
    ]
    for index, item in enumerate(done["output"]):
        made += _item_events(item, index, turn)
    made.append((f"response.{done['status']}", {"response": done}))
    for number, (kind, fields) in enumerate(made):
        document = {"type": kind, "sequence_number": number, **fields}
        yield f"event: {kind}\ndata: ".encode() + msgspec.json.encode(document) + b"\n\n"


def _output(turn: Turn, identity: Identity) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if turn.reasoning:
        summary = [{"type": "summary_text", "text": turn.reasoning}]
        items.append({"id": identity.id("rs_", 48), "type": "reasoning", "summary": summary})
    if turn.text or not turn.calls:
        items.append(
            {
                "id": identity.id("msg_", 48),
                "type": "message",
                "status": "completed",
                "content": [_text_part(turn.text)],
                "role": "assistant",
            }
        )
    items += [_call_item(call, index, identity) for index, call in enumerate(turn.calls)]
    return items


def _call_item(call: Call, index: int, identity: Identity) -> dict[str, Any]:
    return {
        "id": identity.id("fc_", 48, str(index)),
        "type": "function_call",
        "status": "completed",
        "arguments": call.arguments,
        "call_id": identity.call_id(call, index, "call_"),
        "name": call.name,
    }


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "output_text", "annotations": [], "logprobs": [], "text": text}


def _item_events(item: dict[str, Any], index: int, turn: Turn) -> Iterator[Made]:
    place = {"output_index": index}
    match item["type"]:
        case "message":
            begun = {"status": "in_progress", "content": []}
            inner = _message_events(item, place, turn)
        case "function_call":
            begun = {"status": "in_progress", "arguments": ""}
            inner = _call_events(item, place, turn)
        case _:
            begun = {"summary": []}
            inner = _reasoning_events(item, place, turn)
    yield "response.output_item.added", {**place, "item": item | begun}
    yield from inner
    yield "response.output_item.done", {**place, "item": item}


def _message_events(item: dict[str, Any], place: dict[str, Any], turn: Turn) -> Iterator[Made]:
    at = {"item_id": item["id"], **place, "content_index": 0}
    yield "response.content_part.added", {**at, "part": _text_part("")}
    for text in pieces(turn.text, turn.piece):
        padding = "x" * (1 + len(text) % 16)
        fields = {"delta": text, "logprobs": [], "obfuscation": padding}
        yield "response.output_text.delta", {**at, **fields}
    yield "response.output_text.done", {**at, "text": turn.text, "logprobs": []}
    yield "response.content_part.done", {**at, "part": _text_part(turn.text)}


def _call_events(item: dict[str, Any], place: dict[str, Any], turn: Turn) -> Iterator[Made]:
    at = {"item_id": item["id"], **place}
    kind = "response.function_call_arguments"
    for text in pieces(item["arguments"], turn.piece):
        yield f"{kind}.delta", {**at, "delta": text, "obfuscation": "x" * (1 + len(text) % 16)}
    yield f"{kind}.done", {**at, "arguments": item["arguments"], "name": item["name"]}


def _reasoning_events(item: dict[str, Any], place: dict[str, Any], turn: Turn) -> Iterator[Made]:
    at = {"item_id": item["id"], **place, "summary_index": 0}
    part = {"type": "summary_text", "text": ""}
    yield "response.reasoning_summary_part.added", {**at, "part": part}
    for text in pieces(turn.reasoning, turn.piece):
        yield "response.reasoning_summary_text.delta", {**at, "delta": text}
    yield "response.reasoning_summary_text.done", {**at, "text": turn.reasoning}
    yield "response.reasoning_summary_part.done", {**at, "part": part | {"text": turn.reasoning}}


def _response(request: dict[str, Any], identity: Identity) -> dict[str, Any]:
    """The response before anything of it is written."""
    asked: dict[str, Any] = {
        "instructions": None,
        "max_output_tokens": None,
        "max_tool_calls": None,
        "model": None,
        "output": [],
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "prompt_cache_key": None,
        "prompt_cache_retention": None,
        "reasoning": {"effort": None, "summary": None},
        "safety_identifier": None,
        "service_tier": "auto",
        "store": True,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}, "verbosity": "medium"},
        "tool_choice": "auto",
        "tools": [],
        "top_logprobs": 0,
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": None,
        "user": None,
        "metadata": {},
    }
    echoed = {name: request[name] for name in asked if request.get(name) is not None}
    return {
        "id": identity.id("resp_", 48),
        "object": "response",
        "created_at": CREATED,
        "status": "in_progress",
        "background": False,
        "completed_at": None,
        "error": None,
        "incomplete_details": None,
        **asked,
        **echoed,
    }


def _usage(turn: Turn, asked: int) -> dict[str, Any]:
    read, written = (asked + 3) // 4, written_tokens(turn)
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": tokens(turn.reasoning)},
        "total_tokens": read + written,
    }
