"""Everything the stand-in writes is written so by the real provider, too."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundwire.testing import anthropic_format, openai_chat_format, openai_responses_format
from groundwire.testing.turns import Call, Identity, Turn

SAMPLES = Path(__file__).parents[3] / ".." / "shared" / "data" / "wire.dev.jsonl.gz"
TURN = Turn(text="A b.", calls=(Call("lookup", '{"a": 1}'), Call("b")), reasoning="So.", piece=3)
FORMATS = {
    "openai-chat": openai_chat_format,
    "openai-responses": openai_responses_format,
    "anthropic": anthropic_format,
}
# In no sample; the SDKs' strict validation of them is in test_standin.
UNSAMPLED = ("response.reasoning_summary", ".summary[]", "function_call_arguments.done .name: str")


def shapes(value: Any, path: str) -> Iterator[str]:
    """Every path in a document with the type that stands there; what a tool takes is left out."""
    if isinstance(value, dict):
        if path.endswith((".input", ".metadata", ".tools[]")):
            return
        for name, inner in value.items():
            yield from shapes(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from shapes(inner, f"{path}[]")
    else:
        yield f"{path}: {type(value).__name__}"


def of_stream(text: str) -> Iterator[str]:
    """The shapes of every event, under the event's name."""
    for event in text.replace("\r\n", "\n").split("\n\n"):
        lines = dict(line.partition(": ")[::2] for line in event.splitlines() if ": " in line)
        data = lines.get("data", "")
        if data.startswith("{"):
            document = msgspec.json.decode(data)
            yield from shapes(document, f"{lines.get('event', 'chunk')} ")


@pytest.fixture(scope="module")
def known() -> dict[str, set[str]]:
    if not SAMPLES.exists():
        pytest.skip("no recorded exchanges beside the checkout: nothing to compare with")
    found: dict[str, set[str]] = {name: set() for name in FORMATS}
    for line in gzip.decompress(SAMPLES.read_bytes()).splitlines():
        exchange = msgspec.json.decode(line)
        into = found.get(exchange["provider"])
        if into is None:
            continue
        if "response" in exchange:
            into.update(shapes(exchange["response"], "whole "))
        elif "response_text" in exchange:
            into.update(of_stream(exchange["response_text"]))
    return found


@pytest.mark.parametrize("provider", FORMATS)
def test_every_field_of_the_stand_in_is_one_of_the_providers(provider, known):
    made = FORMATS[provider]
    request: dict[str, object] = {"model": "m-1", "stream_options": {"include_usage": True}}
    identity = Identity(b"{}", 1)
    written = set()
    for turn in (TURN, Turn(text="A b.")):
        whole = msgspec.json.encode(made.whole(request, turn, identity, 40))
        written.update(shapes(msgspec.json.decode(whole), "whole "))
        stream = b"".join(made.events(request, turn, identity, 40)).decode()
        written.update(of_stream(stream))
    assert len(written) > 40
    unknown = written - known[provider]
    assert {shape for shape in unknown if not any(known in shape for known in UNSAMPLED)} == set()
