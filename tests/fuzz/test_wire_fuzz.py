"""Any bytes: a document, or an `EncodingError` with a reason. Nothing else leaves the room."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.documents.frame import Frame, Response
from groundwire.documents.split import Split
from groundwire.errors import EncodingError
from groundwire.wire.decoder import Decoder, decode_response
from groundwire.wire.encodings import decode_content
from groundwire.wire.importers import import_log
from groundwire.wire.split import MESSAGE_FIELDS, Splitter
from tests.unit.wire.answers import ALL
from tests.unit.wire.rendering import RENDER, body

SETTINGS = settings(deadline=None, max_examples=150)
PROVIDERS = st.sampled_from(sorted(MESSAGE_FIELDS))
CASES = [pytest.param(*case, id=f"{case[0]} {case[1]}") for case in ALL]
WORDS = re.findall(r'"[a-z_.]{2,30}"', " ".join(json.dumps(document) for *_, document in ALL))
# JSON-like rubble made of the very words the readers look for.
RUBBLE = st.lists(
    st.sampled_from([
        *sorted(set(WORDS)), '"messages":', '"input":', '"role":', '"content":', '"type":', "{",
        "}", "[", "]", ",", ":", "null", "true", "1", "1e999", "9" * 5000, '"', "\\", '"\\ud800"',
        "data: ", "event: ", "\n", "\r", " ", "\x00", "é", "[DONE]",
    ]),
    max_size=40,
).map(lambda words: "".join(words).encode())  # fmt: skip
BYTES = st.binary(max_size=60) | RUBBLE
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=4)
    | st.sampled_from([word.strip('"') for word in sorted(set(WORDS))])
)  # fmt: skip
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from([word.strip('"') for word in sorted(set(WORDS))]), inner, max_size=5
        )
    ),
    max_leaves=20,
)


def frame(data: bytes, provider: str) -> Frame | None:
    with suppress(EncodingError):
        split = Splitter().split(data, provider)
        return Decoder().frame(split, provider)
    return None


def response(data: bytes, provider: str, *, streamed: bool) -> Response | None:
    with suppress(EncodingError):
        return decode_response(data, provider, streamed=streamed)
    return None


@SETTINGS
@given(BYTES, PROVIDERS, st.booleans())
def test_any_bytes_are_a_document_or_an_encoding_error(
    data: bytes, provider: str, streamed: bool
) -> None:
    found = frame(data, provider)
    assert found is None or isinstance(found, Frame)
    response(data, provider, streamed=streamed)
    with suppress(EncodingError):
        list(import_log(data))
    for coding in ("gzip", "deflate", "br", "zstd"):
        with suppress(EncodingError):
            decode_content(data, coding)


@SETTINGS
@given(TREES, TREES, PROVIDERS)
def test_any_json_in_the_place_of_messages_and_shell_is_a_frame(
    messages: Any, shell: Any, provider: str
) -> None:
    value = {
        **(shell if isinstance(shell, dict) else {"tools": shell}),
        MESSAGE_FIELDS[provider]: messages if isinstance(messages, list) else [messages],
    }
    try:
        data = body(value)
    except UnicodeEncodeError:
        return
    found = frame(data, provider)
    assert found is not None
    assert len(found.messages) == len(value[MESSAGE_FIELDS[provider]])
    splitter, decoder = Splitter(), Decoder()
    split = splitter.split(data, provider)
    assert decoder.frame(split, provider) == found
    assert decoder.frame(splitter.split(data, provider), provider) == found


@SETTINGS
@given(TREES, PROVIDERS, st.sampled_from(["choices", "output", "content", "error", "response"]))
def test_any_json_in_the_place_of_an_answer_is_a_response_or_an_encoding_error(
    value: Any, provider: str, name: str
) -> None:
    data = json.dumps({name: value, "stop_reason": "x"}).encode()
    response(data, provider, streamed=False)
    stream = b"data: " + data + b"\n\n" + b"data: " + json.dumps(value).encode() + b"\n\n"
    response(stream, provider, streamed=True)
    list(import_log(data))


@SETTINGS
@given(st.sampled_from(ALL), st.integers(1, 40), st.data())
def test_a_damaged_stream_is_a_response_or_an_encoding_error(
    case: tuple[str, str, Any], size: int, data: st.DataObject
) -> None:
    provider, _, document = case
    stream = bytearray(RENDER[provider](document, size))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(stream) - 1))
        match data.draw(st.sampled_from(["flip", "cut", "drop", "insert"])):
            case "flip":
                stream[at] ^= 1 << data.draw(st.integers(0, 7))
            case "cut":
                del stream[at + 1 :]
            case "drop":
                del stream[at : at + data.draw(st.integers(1, 50))]
                stream = stream or bytearray(b"\n")
            case "insert":
                stream[at:at] = data.draw(st.binary(max_size=5))
    response(bytes(stream), provider, streamed=True)


@pytest.mark.slow
@pytest.mark.parametrize(("provider", "_name", "document"), CASES)
def test_a_stream_cut_at_every_byte_holds_what_arrived(
    provider: str, _name: str, document: dict[str, Any]
) -> None:
    stream = RENDER[provider](document, 5)
    whole = decode_response(stream, provider, streamed=True)
    last = len(stream.rstrip(b"\n"))
    before = 0
    for cut in range(len(stream) + 1):
        found = decode_response(stream[:cut], provider, streamed=True)
        assert found.complete == (cut >= last)
        assert len(found.parts) >= before or found.complete
        before = len(found.parts)
    assert before == len(whole.parts)


def test_a_message_of_fifty_megabytes_is_read() -> None:
    text = "x" * 50_000_000
    data = body({"messages": [{"role": "user", "content": text}]})
    splitter, decoder = Splitter(), Decoder()
    split: Split = splitter.split(data, "openai-chat")
    found = decoder.frame(split, "openai-chat")
    assert found.messages[0].parts[0].text == text  # type: ignore[union-attr]  # a text part
