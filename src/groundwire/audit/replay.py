"""Replay: a recording's entries made into the events that the live run made of them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from groundwire.documents.entry import (
    ComposedEntry,
    DeclaredEntry,
    DispositionEntry,
    ExpectedEntry,
    Open,
    RequestEntry,
    ResponseEntry,
    Withheld,
)
from groundwire.documents.event import (
    Composed,
    Declared,
    Ended,
    Event,
    Expected,
    Requested,
    Responded,
)
from groundwire.documents.frame import Frame, Response
from groundwire.documents.policy import Policy
from groundwire.documents.split import Split
from groundwire.errors import EncodingError
from groundwire.recording.reader import Missing, Reader, Shell
from groundwire.wire.decoder import Decoder
from groundwire.wire.encodings import decode_content
from groundwire.wire.events import requested
from groundwire.wire.split import Splitter


def replay(reader: Reader, *, arm_all: bool = False) -> Iterator[Event]:
    """The events of the run, in order, as its checks saw them.

    Where a content is not there the event carries no frame or response and says `withheld`,
    `redacted` or `missing`. Says nothing about signatures: verify first.

    Raises:
        EncodingError: the recording is no whole document of this format.
    """
    decoder = Decoder()
    for entry in reader.entries:
        match entry:
            case Open():
                yield _declared(reader, entry, arm_all=arm_all)
            case DeclaredEntry():
                yield _declared(reader, entry, arm_all=arm_all)
            case ExpectedEntry():
                if (names := _names(reader, entry.holds)) is not None:
                    yield Expected(step=entry.seq, at=entry.at, tools=names)
            case ComposedEntry():
                if (names := _names(reader, entry.holds)) is not None:
                    yield Composed(step=entry.seq, at=entry.at, call=entry.call, tools=names)
            case RequestEntry() if entry.unreadable != "unknown-endpoint":
                yield _requested(reader, decoder, entry)
            case ResponseEntry() if reader.request(entry.exchange).provider != "unknown":
                yield _responded(reader, decoder, entry)
            case DispositionEntry():
                yield Ended(step=entry.seq, at=entry.at)
            case _:
                pass


def frame_of(reader: Reader, decoder: Decoder, entry: RequestEntry) -> Frame | str:
    """The frame of a recorded request, or the word for why there is none.

    Secrets that were withheld stand as their marks, as they did for the live checks.
    """
    split = split_of(reader, entry)
    if isinstance(split, str):
        return split
    try:
        return decoder.frame(split, entry.provider)
    except EncodingError as error:
        return error.reason


def split_of(reader: Reader, entry: RequestEntry) -> Split | str:
    """The recorded request taken apart as it was live, or why it cannot be."""
    if entry.unreadable:
        return entry.unreadable
    if entry.whole:
        return _resplit(reader, entry)
    shell = reader.content(entry.holds["shell"])
    if isinstance(shell, Missing):
        return shell.why
    around = msgspec.json.decode(shell, type=Shell)
    messages = []
    for commitment in reader.messages(entry.exchange):
        message = reader.content(commitment)
        if isinstance(message, Missing):
            return message.why
        if _kept_out(reader, commitment):
            return "withheld"
        messages.append(message)
    return Split(
        before=around.before.encode(),
        between=around.between.encode(),
        after=around.after.encode(),
        messages=tuple(messages),
        kept=entry.keep,
        body_digest="",
        size=entry.size,
        regular=True,
    )


def _resplit(reader: Reader, entry: RequestEntry) -> Split | str:
    body = reader.content(entry.holds["whole"])
    if isinstance(body, Missing):
        return body.why
    if _kept_out(reader, entry.holds["whole"]):
        return "withheld"
    try:
        return Splitter().split(body, entry.provider)
    except EncodingError as error:
        return error.reason


def _kept_out(reader: Reader, commitment: str) -> bool:
    """Whether the policy kept a tool's result out of this content; the live checks saw it."""
    line = reader.line(commitment)
    return (
        line is not None
        and line.parts is not None
        and any(isinstance(part, Withheld) and part.shape == "policy" for part in line.parts)
    )


def _still_encoded(reader: Reader, entry: ResponseEntry) -> bool:
    """Whether the body stands as it came because its content encoding could not be undone."""
    if entry.encoding == "identity":
        return False
    digests = reader.content(entry.holds["digests"])
    if isinstance(digests, Missing):
        return False
    both = msgspec.json.decode(digests, type=dict[str, str])
    return both["body"] == both["captured"]


def _declared(reader: Reader, entry: Open | DeclaredEntry, *, arm_all: bool) -> Declared:
    held = entry.holds["policy" if isinstance(entry, Open) else "declared"]
    policy = reader.content(held)
    known = Policy() if isinstance(policy, Missing) else msgspec.json.decode(policy, type=Policy)
    return Declared(
        step=entry.seq,
        at=entry.at,
        declarations=known.tools,
        grounding=known.grounding,
        posture=known.posture,
        content=known.content,
        arm_all=arm_all,
    )


def _names(reader: Reader, holds: dict[str, str]) -> tuple[str, ...] | None:
    content = reader.content(holds["tools"])
    if isinstance(content, Missing):
        return None
    try:
        return msgspec.json.decode(content, type=tuple[str, ...])
    except msgspec.DecodeError as error:
        raise EncodingError(
            "names-malformed",
            f"A list of tool names in the recording is no list of names ({error}); it was written "
            "by something else than this version of groundwire.",
        ) from error


def _requested(reader: Reader, decoder: Decoder, entry: RequestEntry) -> Requested:
    frame = frame_of(reader, decoder, entry)
    if isinstance(frame, str):
        return requested(entry, None, reason=frame)
    return requested(entry, frame)


def _responded(reader: Reader, decoder: Decoder, entry: ResponseEntry) -> Responded:
    def event(response: Response | None, reason: str) -> Responded:
        return Responded(
            step=entry.seq,
            at=entry.at,
            exchange=entry.exchange,
            lane=entry.lane,
            response=response,
            reason=reason,
        )

    if entry.status is None:
        return event(None, "no-response")
    commitment = entry.holds.get("body")
    body = Missing("missing") if commitment is None else reader.content(commitment)
    if isinstance(body, Missing):
        return event(None, body.why)
    try:
        if _still_encoded(reader, entry):
            decode_content(body, entry.encoding)
        provider = reader.request(entry.exchange).provider
        return event(decoder.response(body, provider, streamed=entry.streamed), "")
    except EncodingError as error:
        return event(None, error.reason)
