"""OpenAI responses, as the provider writes them: one document, or a stream of numbered events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import msgspec

from groundwire.testing import openai_chat_format
from groundwire.testing.openai_chat_format import CREATED
from groundwire.testing.turns import Call, Document, Identity, Turn, pieces, tokens, written_tokens

Made: TypeAlias = tuple[str, Document]

failure = openai_chat_format.failure


def whole(request: Document, turn: Turn, identity: Identity, asked: int) -> Document:
    """The response as one document. `asked` is the size of the request in bytes."""
    response = _response(request, identity)
    status = turn.stop or "completed"
    return response | {
        "status": status,
        "completed_at": CREATED + 1,
        "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
        "output": [item.finished for item in _items(turn, identity)],
        "service_tier": "default",
        "usage": _usage(turn, asked),
    }


def events(request: Document, turn: Turn, identity: Identity, asked: int) -> Iterator[bytes]:
    """The response as server-sent events, each with its sequence number."""
    done = whole(request, turn, identity, asked)
    begun = _response(request, identity)
    made: list[Made] = [
        ("response.created", {"response": begun}),
        ("response.in_progress", {"response": begun}),
    ]
    for place, item in enumerate(_items(turn, identity)):
        made += _item_events(item, place)
    made.append((f"response.{done['status']}", {"response": done}))
    for number, (kind, fields) in enumerate(made):
        document = {"type": kind, "sequence_number": number, **fields}
        yield f"event: {kind}\ndata: ".encode() + msgspec.json.encode(document) + b"\n\n"


class _Item(NamedTuple):
    begun: Document
    inner: list[Made]
    finished: Document


def _items(turn: Turn, identity: Identity) -> list[_Item]:
    """Every output item: reasoning, a message, calls; each knows where it stands."""
    items: list[_Item] = []
    if turn.reasoning:
        items.append(_reasoning(turn, identity, len(items)))
    if turn.text or not turn.calls:
        items.append(_message(turn, identity, len(items)))
    for index, call in enumerate(turn.calls):
        items.append(_call(turn, call, index, identity, len(items)))
    return items


def _item_events(item: _Item, place: int) -> Iterator[Made]:
    yield "response.output_item.added", {"output_index": place, "item": item.begun}
    yield from item.inner
    yield "response.output_item.done", {"output_index": place, "item": item.finished}


def _reasoning(turn: Turn, identity: Identity, place: int) -> _Item:
    begun: Document = {"id": identity.id("rs_", 48), "type": "reasoning", "summary": []}
    at: Document = {"item_id": begun["id"], "output_index": place, "summary_index": 0}
    kind = "response.reasoning_summary"
    part = {"type": "summary_text", "text": turn.reasoning}
    parts = pieces(turn.reasoning, turn.piece)
    inner: list[Made] = [
        (f"{kind}_part.added", {**at, "part": part | {"text": ""}}),
        *((f"{kind}_text.delta", {**at, "delta": text}) for text in parts),
        (f"{kind}_text.done", {**at, "text": turn.reasoning}),
        (f"{kind}_part.done", {**at, "part": part}),
    ]
    return _Item(begun, inner, begun | {"summary": [part]})


def _message(turn: Turn, identity: Identity, place: int) -> _Item:
    begun: Document = {
        "id": identity.id("msg_", 48),
        "type": "message",
        "status": "in_progress",
        "content": [],
        "role": "assistant",
    }
    at: Document = {"item_id": begun["id"], "output_index": place, "content_index": 0}
    part: Document = {
        "type": "output_text",
        "annotations": [],
        "logprobs": [],
        "text": turn.text,
    }
    inner: list[Made] = [("response.content_part.added", {**at, "part": part | {"text": ""}})]
    for text in pieces(turn.text, turn.piece):
        fields: Document = {"delta": text, "logprobs": [], "obfuscation": _padding(text)}
        inner.append(("response.output_text.delta", {**at, **fields}))
    inner.append(("response.output_text.done", {**at, "text": turn.text, "logprobs": []}))
    inner.append(("response.content_part.done", {**at, "part": part}))
    return _Item(begun, inner, begun | {"status": "completed", "content": [part]})


def _call(turn: Turn, call: Call, index: int, identity: Identity, place: int) -> _Item:
    begun: Document = {
        "id": identity.id("fc_", 48, str(index)),
        "type": "function_call",
        "status": "in_progress",
        "arguments": "",
        "call_id": identity.call_id(call, index, "call_"),
        "name": call.name,
    }
    at: Document = {"item_id": begun["id"], "output_index": place}
    kind = "response.function_call_arguments"
    inner: list[Made] = [
        (f"{kind}.delta", {**at, "delta": text, "obfuscation": _padding(text)})
        for text in pieces(call.arguments, turn.piece)
    ]
    inner.append((f"{kind}.done", {**at, "arguments": call.arguments, "name": call.name}))
    return _Item(begun, inner, begun | {"status": "completed", "arguments": call.arguments})


def _padding(text: str) -> str:
    return "x" * (1 + len(text) % 16)


def _response(request: Document, identity: Identity) -> Document:
    """The response before anything of it is written."""
    asked: Document = {
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


def _usage(turn: Turn, asked: int) -> Document:
    read, written = (asked + 3) // 4, written_tokens(turn)
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": tokens(turn.reasoning)},
        "total_tokens": read + written,
    }
