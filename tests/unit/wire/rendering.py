"""Whole answers rendered as the streams that providers would have sent instead."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from groundwire.documents.frame import CallPart, Part, Response


def body(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def pieces(text: str, size: int = 3) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def event(data: Any, name: str = "") -> bytes:
    line = data if isinstance(data, str) else body(data).decode()
    return (f"event: {name}\n" if name else "").encode() + f"data: {line}\n\n".encode()


def chat(document: dict[str, Any], size: int = 3) -> bytes:
    """Chunks of a chat completion, closed by `[DONE]`."""
    head = {key: document[key] for key in ("id", "model", "created") if key in document}
    head["object"] = "chat.completion.chunk"

    def chunk(index: int, delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": index, "delta": delta, "finish_reason": finish}
        return event({**head, "choices": [choice]})

    out: list[bytes] = [b": a comment\n\n"]
    for choice in document["choices"]:
        index, message = choice["index"], choice["message"]
        out.append(chunk(index, {"role": "assistant", "content": ""}))
        for name in ("reasoning_content", "content", "refusal"):
            out += [chunk(index, {name: piece}) for piece in pieces(message.get(name) or "", size)]
        for place, call in enumerate(message.get("tool_calls") or []):
            kind = call["type"]
            member = "arguments" if kind == "function" else "input"
            inner = {"name": call[kind]["name"], member: ""}
            first = {"index": place, "id": call["id"], "type": kind, kind: inner}
            out.append(chunk(index, {"tool_calls": [first]}))
            for piece in pieces(call[kind][member], size):
                out.append(chunk(index, {"tool_calls": [{"index": place, kind: {member: piece}}]}))
        legacy = message.get("function_call")
        if legacy:
            out.append(chunk(index, {"function_call": {"name": legacy["name"], "arguments": ""}}))
            for piece in pieces(legacy["arguments"], size):
                out.append(chunk(index, {"function_call": {"arguments": piece}}))
        out.append(chunk(index, {}, choice["finish_reason"]))
    if "usage" in document:
        out.append(event({**head, "choices": [], "usage": document["usage"]}))
    out.append(event("[DONE]"))
    return b"".join(out)


def anthropic(document: dict[str, Any], size: int = 3) -> bytes:
    """Events of a message, closed by `message_stop`."""
    start = {key: document[key] for key in ("id", "type", "role", "model")}
    usage = document["usage"]
    start |= {"content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    out = [event({"type": "message_start", "message": start}, "message_start")]
    out.append(event({"type": "ping"}, "ping"))
    for index, block in enumerate(document["content"]):
        begun, deltas = _anthropic_block(block, size)
        out.append(
            event(
                {"type": "content_block_start", "index": index, "content_block": begun},
                "content_block_start",
            )
        )
        for delta in deltas:
            out.append(
                event(
                    {"type": "content_block_delta", "index": index, "delta": delta},
                    "content_block_delta",
                )
            )
        out.append(event({"type": "content_block_stop", "index": index}, "content_block_stop"))
    delta = {"stop_reason": document["stop_reason"], "stop_sequence": None}
    out.append(
        event(
            {
                "type": "message_delta",
                "delta": delta,
                "usage": {"output_tokens": usage["output_tokens"]},
            },
            "message_delta",
        )
    )
    out.append(event({"type": "message_stop"}, "message_stop"))
    return b"".join(out)


def _anthropic_block(
    block: dict[str, Any], size: int
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    kind = block["type"]
    if kind == "text":
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"], size)]
        for citation in block.get("citations") or []:
            deltas.append({"type": "citations_delta", "citation": citation})
        return {"type": "text", "text": ""}, deltas
    if kind == "thinking":
        deltas = [
            {"type": "thinking_delta", "thinking": piece}
            for piece in pieces(block["thinking"], size)
        ]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
        return {"type": "thinking", "thinking": "", "signature": ""}, deltas
    if kind in {"tool_use", "server_tool_use", "mcp_tool_use"}:
        text = json.dumps(block["input"]) if block["input"] else ""
        deltas = [{"type": "input_json_delta", "partial_json": ""}]
        deltas += [
            {"type": "input_json_delta", "partial_json": piece} for piece in pieces(text, size)
        ]
        return {**block, "input": {}}, deltas
    return block, []


def responses(document: dict[str, Any], size: int = 3) -> bytes:
    """Events of a response, closed by its final event."""
    return b"".join(_responses(document, size))


def _responses(document: dict[str, Any], size: int) -> Iterator[bytes]:
    counter = iter(range(1_000_000))

    def said(kind: str, **fields: Any) -> bytes:
        return event({"type": kind, "sequence_number": next(counter), **fields}, kind)

    begun = {**document, "status": "in_progress", "output": [], "usage": None}
    yield said("response.created", response=begun)
    yield said("response.in_progress", response=begun)
    for index, item in enumerate(document["output"]):
        empty = {**item, "status": "in_progress"}
        for name in ("content", "summary", "arguments", "input"):
            if name in empty:
                empty[name] = [] if isinstance(empty[name], list) else ""
        yield said("response.output_item.added", output_index=index, item=empty)
        yield from _responses_item(said, index, item, size)
        yield said("response.output_item.done", output_index=index, item=item)
    yield said(f"response.{document['status']}", response=document)


def _responses_item(said: Any, index: int, item: dict[str, Any], size: int) -> Iterator[bytes]:
    place = {"output_index": index, "item_id": item["id"]}
    for at, part in enumerate(item.get("content") or []):
        kind = part["type"]
        if kind == "reasoning_text":
            for piece in pieces(part["text"], size):
                yield said("response.reasoning_text.delta", content_index=at, delta=piece, **place)
            continue
        name = "refusal" if kind == "refusal" else "text"
        word = "refusal" if kind == "refusal" else "output_text"
        added = {**part, name: ""}
        yield said("response.content_part.added", content_index=at, part=added, **place)
        for piece in pieces(part[name], size):
            yield said(f"response.{word}.delta", content_index=at, delta=piece, **place)
        yield said(f"response.{word}.done", content_index=at, **{name: part[name]}, **place)
        yield said("response.content_part.done", content_index=at, part=part, **place)
    for at, part in enumerate(item.get("summary") or []):
        added = {"type": "summary_text", "text": ""}
        yield said("response.reasoning_summary_part.added", summary_index=at, part=added, **place)
        for piece in pieces(part["text"], size):
            yield said(
                "response.reasoning_summary_text.delta", summary_index=at, delta=piece, **place
            )
    for kind, name in (
        ("function_call", "arguments"),
        ("mcp_call", "arguments"),
        ("custom_tool_call", "input"),
    ):
        if item["type"] == kind:
            for piece in pieces(item[name], size):
                yield said(f"response.{kind}_{name}.delta", delta=piece, **place)
            yield said(f"response.{kind}_{name}.done", **{name: item[name]}, **place)


RENDER = {"openai-chat": chat, "anthropic": anthropic, "openai-responses": responses}


def comparable(response: Response) -> tuple[Any, ...]:
    """What a stream must have in common with the whole answer; arguments as JSON values."""
    return (
        tuple(_part(part) for part in response.parts),
        response.id,
        response.model,
        response.stop,
        response.usage,
        response.complete,
        response.content_digest,
        response.item_digests,
        response.error,
    )


def _part(part: Part) -> Any:
    if isinstance(part, CallPart):
        call = part.call
        try:
            arguments = msgspec.json.decode(call.arguments)
        except msgspec.DecodeError:
            arguments = call.arguments
        return ("call", call.id, call.name, arguments, call.executed_by)
    return part
