"""A run driven without a network: bodies and streams of a chat, told to it as an adapter would."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from groundwire.audit.replay import replay
from groundwire.documents.event import Event
from groundwire.recording.reader import Reader, read
from groundwire.session.run import Run
from groundwire.stores.disk.reading import open_to_read

URL = "https://api.openai.com/v1/chat/completions"
JSON = (("content-type", "application/json"),)


def choice(call_id: str, name: str, arguments: str = "{}") -> dict[str, Any]:
    """A call as the wire has it."""
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def assistant(*calls: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    """The model's message."""
    return {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}


def answers(call_id: str, text: str) -> dict[str, Any]:
    """A tool's message."""
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def user(text: str) -> dict[str, Any]:
    """A user's message."""
    return {"role": "user", "content": text}


def exchange(
    run: Run, messages: Sequence[dict[str, Any]], given: dict[str, Any] | None, **more: Any
) -> None:
    """A request with these messages left and was answered, whole, with `given`."""
    body = json.dumps({"model": "m", "messages": messages, **more}).encode()
    attempt = run.sent("POST", URL, JSON, body)
    assert attempt is not None
    if given is None:
        attempt.ended("error", "connection lost")
        return
    attempt.responded(200, JSON)
    attempt.chunk(
        json.dumps(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "model": "m",
                "choices": [{"index": 0, "message": given, "finish_reason": "stop"}],
                "usage": {},
            }
        ).encode()
    )
    attempt.ended("whole")


def reading(path: Path | None) -> Reader:
    """The recording at `path`."""
    assert path is not None
    with open_to_read(path) as file:
        return read(list(file.lines()), file.file)


def replayed(path: Path | None) -> list[Event]:
    """The events that a reader makes of the recording."""
    return list(replay(reading(path)))
