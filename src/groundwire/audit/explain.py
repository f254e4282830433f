"""Explain: what one request showed the model, with its hash proved; what became of one call."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from groundwire.audit.guarding.calls import GuardedCall, GuardedCalls
from groundwire.audit.lineage.reading import exact_split
from groundwire.audit.replay import Splits, replay
from groundwire.documents.counts import counted
from groundwire.documents.entry import RequestEntry
from groundwire.documents.event import Requested, Responded
from groundwire.documents.frame import (
    CallPart,
    Frame,
    Media,
    Message,
    Opaque,
    Reasoning,
    ResultPart,
    Text,
)
from groundwire.documents.injection import Injection
from groundwire.errors import EncodingError, TrustError
from groundwire.lineage import chains
from groundwire.lineage.context import Injections
from groundwire.recording import content
from groundwire.recording.reader import Missing, Reader


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """One message as the model saw it; `new` if the lane's request before did not carry it."""

    index: int
    role: str
    text: str
    new: bool


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was computed again; `holds` is None where it could not be, `why` says so."""

    what: str
    stated: str
    holds: bool | None
    why: str = ""


class Boundary(msgspec.Struct, frozen=True, kw_only=True):
    """A request, built again from the recording."""

    exchange: int
    exchanges: int
    step: int
    at: str
    lane: int
    lane_reason: str
    provider: str
    model: str
    tools: tuple[str, ...]
    size: int
    messages: tuple[Shown, ...]
    injections: tuple[Injection, ...]
    proofs: tuple[Proof, ...]
    reason: str = ""


class CallLife(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call from the answer that chose it to the last request that carried its result.

    `guarded` is each time that it came to the guarded table, mostly once.
    """

    call_id: str
    tool: str
    arguments: str
    executed_by: str
    chosen_in: int | None
    lane: int
    first_carried_in: int | None
    last_carried_in: int | None
    gone_since: int | None
    injections: tuple[Injection, ...]
    guarded: tuple[GuardedCall, ...] = ()


def boundary(reader: Reader, number: int) -> Boundary:
    """The request of exchange `number`, what it showed, and its digests computed again.

    Raises:
        EncodingError: `no-such-exchange`.
    """
    entry = reader.request(number)
    injections, splits, found = Injections(), Splits(reader), None
    rows: tuple[Injection, ...] = ()
    for event in replay(reader):
        if isinstance(event, Requested):
            split = exact_split(splits, reader.request(event.exchange))
            if event.exchange == number:
                found, rows = event, injections.rows(event, split)
                break
            injections.since(event, split)
    frame = None if found is None else found.frame
    return Boundary(
        exchange=number,
        exchanges=len(reader.exchanges),
        step=entry.seq,
        at=entry.at,
        lane=entry.lane,
        lane_reason=entry.lane_reason,
        provider=entry.provider,
        model="" if frame is None else frame.model,
        tools=() if frame is None else tuple(tool.name for tool in frame.tools),
        size=entry.size,
        messages=() if frame is None else tuple(_shown(frame, entry)),
        injections=rows,
        proofs=tuple(_proofs(reader, entry)),
        reason=entry.unreadable or ("" if found is None else found.reason),
    )


def life_of_call(reader: Reader, call_id: str) -> tuple[CallLife, ...]:
    """What became of every call of this id, a lane each.

    Raises:
        EncodingError: `no-such-call`, naming the ids there are.
    """
    injections, splits = Injections(), Splits(reader)
    lives, known = dict[int, CallLife](), set[str]()
    guarded = GuardedCalls()
    for event in replay(reader):
        guarded.see(event)
        if isinstance(event, Responded) and event.response is not None:
            for part in event.response.parts:
                if isinstance(part, CallPart):
                    known.add(part.call.id)
                    if part.call.id == call_id:
                        lives.setdefault(event.lane, _chosen(event.lane, event.exchange, part))
        elif isinstance(event, Requested) and event.frame is not None:
            known |= _calls_in(event.frame, call_id, event.lane, lives)
            split = exact_split(splits, reader.request(event.exchange))
            injections.since(event, split)
            rows = tuple(r for r in injections.rows(event, split) if r.call_id == call_id)
            if event.lane in lives:
                lives[event.lane] = _carried(lives[event.lane], event.exchange, rows)
    if not lives:
        ids = ", ".join(sorted(known)[:20]) or "none"
        raise EncodingError(
            "no-such-call", f"The recording has no call {call_id!r}. Calls there are: {ids}."
        )
    return tuple(_with_guarded(life, guarded.calls()) for life in lives.values())


def text_of(message: Message) -> str:
    """What the model read in a message, on one line a part."""
    return "\n".join(_texts(message))


def _texts(message: Message) -> Iterator[str]:
    for part in message.parts:
        match part:
            case Text(text=text):
                yield text
            case Reasoning(text=text):
                yield f"[reasoning] {text}"
            case CallPart(call=call):
                yield f"[call {call.id}] {call.name}({call.arguments})"
            case ResultPart(call_id=call_id, text=text):
                yield f"[result of {call_id}] {text}"
            case Media(media_type=media_type, digest=digest, size=size):
                yield f"[{media_type}, {counted(size, 'byte')}, {digest}]"
            case Opaque(kind=kind):
                yield f"[{kind}, not read]"


def _shown(frame: Frame, entry: RequestEntry) -> Iterator[Shown]:
    replaced = {index for index, _ in entry.replaced}
    for index, part in enumerate(frame.system):
        if isinstance(part, Text):
            yield Shown(index=-1 - index, role="system", text=part.text, new=False)
    for index, message in enumerate(frame.messages):
        yield Shown(
            index=index,
            role=message.role,
            text=text_of(message),
            new=index >= entry.keep or index in replaced,
        )


def _proofs(reader: Reader, entry: RequestEntry) -> Iterator[Proof]:
    if entry.whole:
        held = entry.holds["whole"]
        frame = chains.whole_frame_of(held)
        yield Proof(what="frame", stated=entry.frame, holds=frame == entry.frame)
        yield _opened(reader, (held,))
    else:
        messages = reader.messages(entry.exchange)
        context = chains.context_of(messages)
        yield Proof(what="context", stated=entry.context, holds=context == entry.context)
        frame = chains.frame_of(entry.holds["shell"], context)
        yield Proof(what="frame", stated=entry.frame, holds=frame == entry.frame)
        yield _opened(reader, (entry.holds["shell"], *messages))
    yield _body(reader, entry)


def _opened(reader: Reader, commitments: tuple[str, ...]) -> Proof:
    """Each commitment of the frame is the one that its salt and content make."""
    what, stated = "contents", counted(len(commitments), "commitment")
    for commitment in commitments:
        line = reader.line(commitment)
        if line is None:
            return Proof(what=what, stated=stated, holds=None, why="a content is not there")
        try:
            if content.commitment(line) != commitment:
                return Proof(what=what, stated=stated, holds=False, why=commitment)
        except EncodingError as error:
            return Proof(what=what, stated=stated, holds=False, why=error.message)
    return Proof(what=what, stated=stated, holds=True)


def _body(reader: Reader, entry: RequestEntry) -> Proof:
    what, stated = "body", counted(entry.size, "byte")
    try:
        body = reader.body(entry.exchange)
    except (TrustError, EncodingError) as error:
        return Proof(what=what, stated=stated, holds=False, why=error.message)
    if isinstance(body, Missing):
        return Proof(what=what, stated=stated, holds=None, why=f"a part of it is {body.why}")
    return Proof(what=what, stated=stated, holds=len(body) == entry.size)


def _chosen(lane: int, exchange: int | None, part: CallPart) -> CallLife:
    return CallLife(
        call_id=part.call.id,
        tool=part.call.name,
        arguments=part.call.arguments,
        executed_by=part.call.executed_by,
        chosen_in=exchange,
        lane=lane,
        first_carried_in=None,
        last_carried_in=None,
        gone_since=None,
        injections=(),
    )


def _calls_in(frame: Frame, call_id: str, lane: int, lives: dict[int, CallLife]) -> set[str]:
    ids = set()
    for message in frame.messages:
        for part in message.parts:
            if isinstance(part, CallPart):
                ids.add(part.call.id)
                if part.call.id == call_id:
                    lives.setdefault(lane, _chosen(lane, None, part))
    return ids


def _with_guarded(life: CallLife, calls: tuple[GuardedCall, ...]) -> CallLife:
    mine = tuple(call for call in calls if (call.lane, call.call_id) == (life.lane, life.call_id))
    return msgspec.structs.replace(life, guarded=mine)


def _carried(life: CallLife, exchange: int, rows: tuple[Injection, ...]) -> CallLife:
    if rows:
        first = exchange if life.first_carried_in is None else life.first_carried_in
        return msgspec.structs.replace(
            life,
            first_carried_in=first,
            last_carried_in=exchange,
            gone_since=None,
            injections=(*life.injections, *rows),
        )
    if life.last_carried_in is not None and life.gone_since is None:
        return msgspec.structs.replace(life, gone_since=exchange)
    return life
