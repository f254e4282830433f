"""Splitting is never wrong, however a body is spelled and whatever changed since the last one."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.documents.split import Split
from groundwire.errors import EncodingError
from groundwire.wire.decoder import Decoder
from groundwire.wire.split import Splitter

SETTINGS = settings(deadline=None, max_examples=60)
SPACES = st.sampled_from(["", "", "", " ", "\n", "\t ", "\r\n  "])
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(TEXTS | st.sampled_from(["messages", "input", "role"]), inner, max_size=3)
    ),
    max_leaves=8,
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]), "content": VALUES}
)


@st.composite
def spelled(draw: st.DrawFn, value: Any) -> str:
    """A JSON spelling of `value` with white space where the grammar allows it."""
    space = lambda: draw(SPACES)  # noqa: E731 -- drawn anew each time
    if isinstance(value, list):
        inner = [space() + draw(spelled(each)) + space() for each in value]
        return "[" + (",".join(inner) if inner else space()) + "]"
    if isinstance(value, dict):
        inner = [
            space() + key_spelled(key) + space() + ":" + space() + draw(spelled(each)) + space()
            for key, each in value.items()
        ]
        return "{" + (",".join(inner) if inner else space()) + "}"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


def key_spelled(key: str) -> str:
    return json.dumps(key, ensure_ascii=len(key) % 2 == 0)


@st.composite
def edits(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Successive bodies: grown, shortened at either end, changed inside, with another shell."""
    messages = draw(st.lists(MESSAGES, max_size=4))
    shell: dict[str, Any] = {"model": "m"}
    bodies: list[dict[str, Any]] = []
    for _ in range(draw(st.integers(1, 5))):
        match draw(st.sampled_from(["grow", "grow", "drop", "pop", "replace", "shell", "same"])):
            case "grow":
                messages = messages + draw(st.lists(MESSAGES, min_size=1, max_size=2))
            case "drop":
                messages = messages[1:]
            case "pop":
                messages = messages[:-1]
            case "replace" if messages:
                at = draw(st.integers(0, len(messages) - 1))
                messages = [*messages[:at], draw(MESSAGES), *messages[at + 1 :]]
            case "shell":
                shell = {"model": draw(TEXTS), "metadata": draw(VALUES)}
        first = draw(st.booleans())
        body = {"messages": messages}
        bodies.append({**body, **shell} if first else {**shell, **body})
    return bodies


def check(found: Split, data: bytes) -> None:
    parsed = json.loads(data)
    if found.regular:
        assert found.before + found.between.join(found.messages) + found.after == data
    assert found.body_digest == "sha256:" + hashlib.sha256(data).hexdigest()
    assert [json.loads(message) for message in found.messages] == parsed["messages"]
    assert data.startswith(found.before)
    assert data.endswith(found.after)
    shell = json.loads(found.before + found.after)
    assert shell == {**parsed, "messages": []}


@SETTINGS
@given(st.data(), edits())
def test_every_body_of_a_run_is_the_sum_of_its_slices(
    data: st.DataObject, bodies: list[dict[str, Any]]
) -> None:
    splitter, decoder = Splitter(), Decoder()
    before: tuple[bytes, ...] = ()
    even = data.draw(st.booleans())
    for value in bodies:
        text = json.dumps(value) if even else data.draw(spelled(value))
        body = text.encode()
        found = splitter.split(body, "openai-chat")
        check(found, body)
        alone = Splitter().split(body, "openai-chat")
        assert found == msgspec.structs.replace(alone, kept=found.kept)
        frame = decoder.frame(found, "openai-chat")
        assert frame == Decoder().frame(alone, "openai-chat")
        if even:
            assert found.regular
        assert found.kept <= len(found.messages)
        before = found.messages
    assert before == found.messages


@SETTINGS
@given(edits(), st.data())
def test_a_body_damaged_anywhere_is_split_as_it_would_be_alone(
    bodies: list[dict[str, Any]], data: st.DataObject
) -> None:
    splitter = Splitter()
    for value in bodies:
        body = json.dumps(value).encode()
        splitter.split(body, "openai-chat")
        at = data.draw(st.integers(0, len(body)))
        stop = data.draw(st.integers(at, min(len(body), at + 3)))
        damaged = body[:at] + data.draw(st.binary(max_size=3)) + body[stop:]
        assert outcome(splitter, damaged) == outcome(Splitter(), damaged)


def outcome(splitter: Splitter, data: bytes) -> Split | str:
    try:
        return msgspec.structs.replace(splitter.split(data, "openai-chat"), kept=0)
    except EncodingError as error:
        return error.reason
