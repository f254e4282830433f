"""Every file of vectors/wire, named after the attack it stops, gives the answer it states."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from groundwire.documents.call import ToolCall
from groundwire.documents.frame import CallPart, Part, Text
from groundwire.documents.split import Split
from groundwire.errors import GroundwireError
from groundwire.wire.decoder import Decoder, decode_response
from groundwire.wire.encodings import decode_content
from groundwire.wire.message_digest import content_digest
from groundwire.wire.split import Splitter

FOLDER = Path(__file__).resolve().parents[2] / "vectors" / "wire"
FILES = sorted(FOLDER.glob("*.json"))
Vector = Mapping[str, Any]


def last_split(vector: Vector) -> Split:
    """The split of the last body, after one splitter has seen those before it."""
    splitter = Splitter()
    return [splitter.split(body.encode(), vector["provider"]) for body in vector["bodies"]][-1]


def split(vector: Vector) -> dict[str, object]:
    found = last_split(vector)
    if found.regular:
        rebuilt = found.before + found.between.join(found.messages) + found.after
        assert rebuilt == vector["bodies"][-1].encode()
    return {
        "before": found.before.decode(),
        "after": found.after.decode(),
        "messages": [message.decode() for message in found.messages],
        "kept": found.kept,
        "regular": found.regular,
    }


def told(parts: Sequence[Part]) -> dict[str, object]:
    calls = [part.call for part in parts if isinstance(part, CallPart)]
    return {
        "kinds": [type(part).__name__ for part in parts],
        "texts": [part.text for part in parts if isinstance(part, Text)],
        "calls": [[call.id, call.name, call.arguments] for call in calls],
    }


def frame(vector: Vector) -> dict[str, object]:
    found = Decoder().frame(last_split(vector), vector["provider"])
    parts = [part for message in found.messages for part in message.parts]
    return {
        **told(parts),
        "opaque": list(found.opaque),
        "tools": [tool.name for tool in found.tools],
        "held": found.held_by_provider,
    }


def response(vector: Vector) -> dict[str, object]:
    body = vector["text"].encode()
    found = decode_response(body, vector["provider"], streamed=vector["streamed"])
    return {
        **told(found.parts),
        "opaque": list(found.opaque),
        "complete": found.complete,
        "stop": found.stop,
    }


def content(vector: Vector) -> dict[str, object]:
    data = base64.b64decode(vector["data"], validate=True)
    return {"size": len(decode_content(data, vector["encoding"], max_bytes=vector["max_bytes"]))}


def digests(vector: Vector) -> dict[str, object]:
    one, other = (
        content_digest("assistant", [CallPart(ToolCall(id="c", **vector[name]))])
        for name in ("one", "other")
    )
    return {"equal": one == other}


DOCUMENTS: dict[str, Callable[[Vector], dict[str, object]]] = {
    "split": split,
    "frame": frame,
    "response": response,
    "content": content,
    "digests": digests,
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_vector_gives_its_answer(path: Path) -> None:
    vector = json.loads(path.read_text("utf-8"))
    assert vector["about"].endswith(".")
    try:
        found: dict[str, object] | str = DOCUMENTS[vector["document"]](vector)
    except GroundwireError as error:
        found = error.reason
    answer = vector["answer"]
    if isinstance(found, dict) and isinstance(answer, dict):
        found = {name: found[name] for name in answer}
    assert found == answer


def test_there_are_vectors() -> None:
    assert len(FILES) > 30
