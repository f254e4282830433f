"""Replay: a recording's entries made into the events that the live run made of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from groundwire.documents.content import Withheld
from groundwire.documents.entry import (
    AnyEntry,
    AuthoredEntry,
    ChildEntry,
    ComposedEntry,
    ContinuedEntry,
    DeclaredEntry,
    DeniedEntry,
    DispositionEntry,
    ExecutedEntry,
    ExpectedEntry,
    GuardedEntry,
    Open,
    ParkedEntry,
    PinnedEntry,
    RequestEntry,
    ResponseEntry,
    VouchedEntry,
)
from groundwire.documents.event import (
    ChildStarted,
    Composed,
    Declared,
    Ended,
    Event,
    Expected,
    Requested,
    Responded,
)
from groundwire.documents.frame import Response
from groundwire.documents.governing import GuardRules
from groundwire.documents.policy import Policy
from groundwire.documents.split import Split
from groundwire.documents.strand import Strand
from groundwire.errors import EncodingError
from groundwire.recording.lines import UnknownEntry
from groundwire.recording.reader import Missing, Reader, Shell
from groundwire.recording.segments.said import event_of, names_in
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
    for events in replay_segments([reader], arm_all=arm_all):
        yield from events


def replay_segments(
    readers: Sequence[Reader], *, arm_all: bool = False
) -> Iterator[Iterator[Event]]:
    """The events of a run that stands in several segments, an iterator a segment, in order.

    Each has to be read to its end before the next is asked for. What a later segment declares at
    its opening is what the first declared, and no event, as it was none live.

    Raises: as `replay`, while they are read.
    """
    replaying = _Replay(arm_all=arm_all)
    for number, reader in enumerate(readers):
        yield replaying.events(reader, opens=number == 0)


class _Replay:
    """What goes on from one segment to the next."""

    def __init__(self, *, arm_all: bool) -> None:
        self._decoder = Decoder()
        self._arm_all = arm_all
        self._last = (0, "")

    def events(self, reader: Reader, *, opens: bool) -> Iterator[Event]:
        """The events of one segment."""
        for event in _events(reader, self._decoder, arm_all=self._arm_all, opens=opens):
            if isinstance(event, Ended):
                step, at = self._last
                yield Ended(step=step, at=at)
            else:
                self._last = (event.step, event.at)
                yield event


def _events(reader: Reader, decoder: Decoder, *, arm_all: bool, opens: bool) -> Iterator[Event]:
    splits = Splits(reader)
    for entry in reader.entries:
        match entry:
            case Open():
                if opens:
                    yield _declared(reader, entry, arm_all=arm_all)
            case DeclaredEntry():
                yield _declared(reader, entry, arm_all=arm_all)
            case RequestEntry() if entry.unreadable != "unknown-endpoint":
                yield _requested(splits, decoder, entry)
            case ResponseEntry() if reader.request(entry.exchange).provider != "unknown":
                yield _responded(reader, decoder, entry)
            case DispositionEntry():
                yield Ended(step=entry.seq, at=entry.at)
            case _:
                told = _told(reader, entry)
                if told is not None:
                    yield told


def _told(reader: Reader, entry: AnyEntry | UnknownEntry) -> Event | None:
    """What the host or the SDK said, if the entry is of that; None for the recorder's own."""
    match entry:
        case ExpectedEntry():
            names = _names(reader, entry.holds)
            return None if names is None else Expected(step=entry.seq, at=entry.at, tools=names)
        case ComposedEntry():
            names = _names(reader, entry.holds)
            if names is None:
                return None
            return Composed(step=entry.seq, at=entry.at, call=entry.call, tools=names)
        case ChildEntry():
            return ChildStarted(step=entry.seq, at=entry.at, run=entry.run)
        case (
            ExecutedEntry()
            | GuardedEntry()
            | PinnedEntry()
            | ParkedEntry()
            | VouchedEntry()
            | AuthoredEntry()
            | DeniedEntry()
            | ContinuedEntry()
        ):
            return event_of(entry, reader.content)
        case _:
            return None


class Splits:
    """The recorded requests of one segment taken apart as they were live.

    Asked for in order, a request costs what is new in it: it goes on from the one before it in its
    lane. Holds the messages of the last request of each lane.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._last: dict[int, _Last] = {}
        self._shells: dict[str, Shell] = {}

    def of(self, entry: RequestEntry) -> Split | str:
        """The request taken apart, or the word for why it cannot be.

        Secrets that were withheld stand as their marks, as they did for the live checks.
        """
        if entry.unreadable:
            return entry.unreadable
        if entry.whole:
            return _resplit(self._reader, entry)
        last = self._built(entry)
        self._last[entry.lane] = last
        around = self._shell(entry.holds["shell"])
        if isinstance(around, Missing):
            return around.why
        if last.why:
            return last.why
        return Split(
            before=around.before.encode(),
            between=around.between.encode(),
            after=around.after.encode(),
            messages=last.messages,
            kept=_untouched(entry),
            body_digest="",
            size=entry.size,
            regular=True,
        )

    def _shell(self, commitment: str) -> Shell | Missing:
        if commitment not in self._shells:
            data = self._reader.content(commitment)
            if isinstance(data, Missing):
                return data
            self._shells = {commitment: msgspec.json.decode(data, type=Shell)}
        return self._shells[commitment]

    def _built(self, entry: RequestEntry) -> _Last:
        """The messages of the request, from those of the one before it where it names that."""
        last = self._last.get(entry.lane)
        if last is None or last.exchange != entry.parent:
            return self._whole(entry)
        base = _untouched(entry)
        if last.why and len(last.messages) < base:
            return _Last(entry.exchange, last.messages, last.why)
        if last.why and len(last.messages) < entry.keep:
            return self._whole(entry)
        put = dict(entry.replaced)
        kept = [put.get(index) or last.messages[index] for index in range(base, entry.keep)]
        return self._with(entry, last.messages, base, (*kept, *entry.append))

    def _whole(self, entry: RequestEntry) -> _Last:
        return self._with(entry, Strand(), 0, self._reader.messages(entry.exchange))

    def _with(
        self, entry: RequestEntry, known: Strand[bytes], keep: int, items: Iterable[str | bytes]
    ) -> _Last:
        """The first `keep` messages of `known`, then these, each itself or its commitment."""
        fresh: list[bytes] = []
        why = ""
        for item in items:
            message = item if isinstance(item, bytes) else self._message(item)
            if isinstance(message, Missing):
                why = message.why
                break
            fresh.append(message)
        return _Last(entry.exchange, known.going_on(keep, fresh), why)

    def _message(self, commitment: str) -> bytes | Missing:
        if _kept_out(self._reader, commitment):
            return Missing("withheld")
        return self._reader.content(commitment)


class _Last(msgspec.Struct, frozen=True):
    """The messages of an exchange up to the first that is not there, and why that is not."""

    exchange: int
    messages: Strand[bytes]
    why: str


def _untouched(entry: RequestEntry) -> int:
    """How many leading messages are those of the request that it goes on from."""
    return entry.replaced[0][0] if entry.replaced else entry.keep


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
        checks=known.checks,
        guards=known.guard != GuardRules(),
        arm_all=arm_all,
    )


def _names(reader: Reader, holds: dict[str, str]) -> tuple[str, ...] | None:
    content = reader.content(holds["tools"])
    return None if isinstance(content, Missing) else names_in(content)


def _requested(splits: Splits, decoder: Decoder, entry: RequestEntry) -> Requested:
    split = splits.of(entry)
    if isinstance(split, str):
        return requested(entry, None, reason=split)
    try:
        return requested(entry, decoder.frame(split, entry.provider))
    except EncodingError as error:
        return requested(entry, None, reason=error.reason)


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
