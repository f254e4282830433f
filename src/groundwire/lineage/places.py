"""Places: where in the exact body each tool result of a message stands."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

import msgspec

from groundwire.canon.positions import Range, elements, locate
from groundwire.documents.frame import Message, ResultPart
from groundwire.documents.split import Split
from groundwire.errors import EncodingError

# The member of a body that holds its messages.
FIELDS = {"openai-chat": "messages", "openai-responses": "input", "anthropic": "messages"}
UNKNOWN = Range(-1, -1)


class Place(msgspec.Struct, frozen=True):
    """A result's JSON value: its pointer in the body and its bytes, `UNKNOWN` without a body."""

    pointer: str
    body: Range


class _Block(msgspec.Struct):
    tool_use_id: str | None = None


_BLOCK = msgspec.json.Decoder(_Block)


def starts(split: Split) -> tuple[int, ...] | None:
    """Where each message begins in the body; None where separators differ from one another."""
    if not split.regular:
        return None
    steps = (len(message) + len(split.between) for message in split.messages)
    return tuple(accumulate(steps, initial=len(split.before)))


def places(
    message: Message, index: int, provider: str, start: int | None
) -> Iterator[tuple[ResultPart, Place]]:
    """Each result of the message with its place; `start` is where its bytes begin in the body.

    Where a log was imported, or the value cannot be found, no position is claimed.
    """
    results = [part for part in message.parts if isinstance(part, ResultPart)]
    base = f"/{FIELDS[provider]}/{index}" if provider in FIELDS and message.raw else ""
    found = _values(message.raw, results) if base else {}
    for number, part in enumerate(results):
        if number not in found:
            yield part, Place(base, UNKNOWN)
            continue
        pointer, inside = found[number]
        body = UNKNOWN if start is None else Range(inside.start + start, inside.end + start)
        yield part, Place(base + pointer, body)


def _values(raw: bytes, results: list[ResultPart]) -> dict[int, tuple[str, Range]]:
    try:
        blocks = _answering_blocks(raw)
        if blocks:
            return _matched(raw, blocks, results)
        if len(results) == 1:
            for pointer in ("/output", "/content"):
                place = _find(raw, pointer)
                if place is not None:
                    return {0: (pointer, place)}
    except EncodingError:
        # A body that could be decoded and not measured: say nothing of where.
        return {}
    return {}


def _answering_blocks(raw: bytes) -> list[tuple[int, str, Range]]:
    """The blocks of a message's content that answer a call: position, call id, bytes."""
    content = _find(raw, "/content")
    if content is None or raw[content.start : content.start + 1] != b"[":
        return []
    blocks = []
    for position, place in enumerate(elements(raw, content)):
        try:
            call_id = _BLOCK.decode(raw[place.start : place.end]).tool_use_id
        except msgspec.MsgspecError:
            continue
        if call_id is not None:
            blocks.append((position, call_id, place))
    return blocks


def _matched(
    raw: bytes, blocks: list[tuple[int, str, Range]], results: list[ResultPart]
) -> dict[int, tuple[str, Range]]:
    found = {}
    for number, part in enumerate(results):
        block = next((block for block in blocks if block[1] == part.call_id), None)
        if block is not None:
            blocks.remove(block)
            pointer = f"/content/{block[0]}"
            content = _find(raw, "/content", within=block[2])
            found[number] = (
                (f"{pointer}/content", content) if content is not None else (pointer, block[2])
            )
    return found


def _find(raw: bytes, pointer: str, within: Range | None = None) -> Range | None:
    try:
        return locate(raw, pointer, within=within)
    except EncodingError as error:
        if error.reason == "no-such-value":
            return None
        raise
