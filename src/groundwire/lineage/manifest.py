"""The manifest of a run, folded from its events: each call, and where its result stood afterwards.

A result that stays where it is costs nothing more: a row is a stretch of requests, not one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import msgspec

from groundwire.canon import digest, jcs
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Event, Executed, Requested, Responded
from groundwire.documents.frame import CallPart, Frame, Message, Response, ResultPart, Text
from groundwire.documents.injection import Injection
from groundwire.documents.manifest import (
    MANIFEST,
    Answer,
    Boundary,
    CallRow,
    Gap,
    Manifest,
    Source,
)
from groundwire.documents.split import Split
from groundwire.documents.strand import leading
from groundwire.errors import EncodingError
from groundwire.lineage.chains import EMPTY
from groundwire.lineage.context import Injections
from groundwire.lineage.rows import Carried, Row, inputs_digest
from groundwire.wire.message_digest import canonical_arguments

State: TypeAlias = Literal["observed", "not-observed", "unreadable", "reconstructed"]
Part: TypeAlias = Literal["request", "response", "held-by-provider"]

# The request failed before anything came back: nothing was chosen in it.
_NOTHING_CAME = "no-response"


class Seals(msgspec.Struct, frozen=True):
    """What a recording says of one request: the head of its context, its frame, its body's SHA-256."""

    context: str = ""
    frame: str = ""
    body: str = ""


@dataclass(eq=False, slots=True)
class _Lane:
    number: int
    messages: Sequence[Message] = ()
    rows: dict[str, list[Row]] = field(default_factory=dict)
    open: list[Carried] = field(default_factory=list)
    base: tuple[int, bytes] | None = None
    context: str = ""
    answer: Answer | None = None
    begun: bool = False
    again: bool = False
    unseen: int = -1


class Manifesting:
    """A run so far. Every event has to be shown, in order; each request with what it was taken apart to."""

    def __init__(self) -> None:
        self._lanes: dict[int, _Lane] = {}
        self._rows: list[Row] = []
        self._chosen: dict[tuple[str, str, bytes], Row] = {}
        self._boundaries: list[Boundary] = []
        self._gaps: list[Gap] = []
        self._injections = Injections()
        self._unlinked = 0

    def see(self, event: Event, split: Split | None = None, seals: Seals | None = None) -> None:
        """The event is part of the run.

        `split` is a request's body taken apart, None where no byte of it is known; `seals` what the
        recording says of that request. Both are of no use with another event.
        """
        match event:
            case Requested():
                self._request(event, split, seals or Seals())
            case Responded():
                self._respond(event)
            case Executed():
                self._execute(event)
            case _:
                pass

    def manifest(self, run: str, source: Source) -> Manifest:
        """The manifest of what was seen so far; `source` is where the events came from."""
        rows = [(self._row(row), row) for row in self._rows]
        rows.sort(key=lambda pair: (_order(pair[0]), pair[1].number))
        return Manifest(
            answers=tuple(lane.answer for lane in self._lanes.values() if lane.answer is not None),
            boundaries=tuple(self._boundaries),
            calls=tuple(row for row, _ in rows),
            format=MANIFEST,
            gaps=tuple(self._gaps),
            run=run,
            source=source,
            unlinked=self._unlinked,
        )

    # -- requests -----------------------------------------------------------------------------

    def _request(self, event: Requested, split: Split | None, seals: Seals) -> None:
        lane = self._lanes.setdefault(event.lane, _Lane(event.lane))
        frame = event.frame
        before, lane.context = lane.context, seals.context
        fresh = 0
        if frame is None:
            self._gap(event.exchange, "request", event.reason)
            lane.again, lane.unseen = True, event.exchange
        else:
            if frame.held_by_provider is not None:
                self._gap(event.exchange, "held-by-provider", frame.held_by_provider)
                lane.unseen = event.exchange
            fresh = self._shown(lane, event, frame, split)
        self._boundaries.append(_boundary(event, seals, before, fresh))

    def _shown(self, lane: _Lane, event: Requested, frame: Frame, split: Split | None) -> int:
        """Opens and closes stretches; how many results stand where none stood."""
        kept = leading(lane.messages, frame.messages)
        found = self._injections.since(event, split)
        base = None if split is None or not split.regular else (len(split.before), split.between)
        first = kept
        if lane.again or base != lane.base:
            found, first = self._injections.rows(event, split), 0
        for index in range(kept if lane.begun else 0, len(frame.messages)):
            self._calls_of(lane, frame.messages[index])
        closed = [carried for carried in lane.open if carried.message >= first]
        lane.open = [carried for carried in lane.open if carried.message < first]
        known = {(each.row.number, each.message, each.nth) for each in closed}
        fresh = 0
        for injection, nth, text in _with_texts(frame, found):
            row = self._row_of(lane, injection, text)
            carried = Carried.of(row, injection, nth, text)
            fresh += (row.number, carried.message, nth) not in known
            row.carried.append(carried)
            lane.open.append(carried)
        for carried in lane.open:
            carried.last = event.exchange
        lane.messages, lane.base, lane.begun, lane.again = frame.messages, base, True, False
        return fresh

    def _calls_of(self, lane: _Lane, message: Message) -> None:
        for part in message.parts:
            if isinstance(part, CallPart) and part.call.id not in lane.rows:
                row = self._chosen.get(_name(part.call))
                if row is None:
                    row = self._new(lane, part.call)
                    row.upfront = not lane.begun
                lane.rows[part.call.id] = [row]

    def _row_of(self, lane: _Lane, injection: Injection, text: str) -> Row:
        """The row that a result answers: of several calls with its id the one that returned it."""
        rows = lane.rows.get(injection.call_id)
        if rows is None:
            call = ToolCall(id=injection.call_id, name=injection.tool, arguments="")
            row = self._new(lane, call, seen=False)
            row.upfront = not lane.begun
            lane.rows[injection.call_id] = rows = [row]
        same = next((row for row in rows if row.output == text), None)
        if same is not None:
            return same
        taken = sum(each.row in rows for each in lane.open) if len(rows) > 1 else 0
        return rows[min(taken, len(rows) - 1)]

    # -- responses and executions -------------------------------------------------------------

    def _respond(self, event: Responded) -> None:
        lane = self._lanes.setdefault(event.lane, _Lane(event.lane))
        if event.response is None:
            if event.reason != _NOTHING_CAME:
                self._gap(event.exchange, "response", event.reason)
            return
        texts, hosted = [], False
        for position, part in enumerate(event.response.parts):
            match part:
                case CallPart(call=call):
                    row = self._new(lane, call)
                    row.chosen_in, row.position = event.exchange, position
                    lane.rows.setdefault(call.id, []).append(row)
                    self._chosen[_name(call)] = row
                    hosted |= call.executed_by == "host"
                case ResultPart(call_id=call_id, text=text) if call_id in lane.rows:
                    lane.rows[call_id][-1].returns(text, "response")
                case Text(text=text):
                    texts.append(text)
                case _:
                    pass
        if texts and not hosted:
            lane.answer = answer_of(event.response, event.exchange, event.lane)

    def _execute(self, event: Executed) -> None:
        lane = None if event.lane is None else self._lanes.get(event.lane)
        rows = [] if lane is None else lane.rows.get(event.call_id, [])
        if event.link == "unlinked" or not rows:
            self._unlinked += 1
        elif event.result is not None and event.outcome != "unknown":
            rows[-1].returns(event.result, "returned", same_words=event.rendering == "text")

    # -- rows ---------------------------------------------------------------------------------

    def _new(self, lane: _Lane, call: ToolCall, *, seen: bool = True) -> Row:
        row = Row(number=len(self._rows), lane=lane.number, call=call, call_seen=seen)
        self._rows.append(row)
        return row

    def _row(self, row: Row) -> CallRow:
        lane = self._lanes[row.lane]
        after = -1 if row.chosen_in is None else row.chosen_in
        return row.document(unseen=lane.unseen > after)

    def _gap(self, exchange: int, part: Part, why: str) -> None:
        self._gaps.append(Gap(exchange=exchange, part=part, why=why))


def answer_of(response: Response, exchange: int, lane: int) -> Answer:
    """The text of a response as an answer: its text parts, one after the other."""
    text = "".join(part.text for part in response.parts if isinstance(part, Text))
    data = text.encode("utf-8", "surrogatepass")
    return Answer(
        characters=len(text),
        digest=digest.tagged("answer", data),
        exchange=exchange,
        lane=lane,
        sha256=digest.sha256(data),
    )


def digest_of(manifest: Manifest) -> str:
    """The tagged digest of the whole manifest, texts of arguments apart: their digests stand in it.

    Raises:
        EncodingError: `bad-manifest`: a text is not the one that is digested beside it; or a value
            that has no canonical JSON.
    """
    return digest.tagged("manifest", jcs.encode_document(without_texts(manifest)))


def without_texts(manifest: Manifest) -> Manifest:
    """The manifest with digests of arguments only.

    Raises:
        EncodingError: `bad-manifest`: a text is not the one that is digested beside it.
    """
    calls = []
    for row in manifest.calls:
        if row.inputs_text is not None and inputs_digest(row.inputs_text) != row.inputs:
            raise EncodingError(
                "bad-manifest",
                f"The arguments of call {row.id!r} are not those whose digest stands beside them.",
            )
        calls.append(msgspec.structs.replace(row, inputs_text=None))
    return msgspec.structs.replace(manifest, calls=tuple(calls))


def rows_at(manifest: Manifest, exchange: int) -> Iterator[tuple[CallRow, int]]:
    """Each call whose result this request carried, with the place among its injections."""
    lanes = {boundary.exchange: boundary.lane for boundary in manifest.boundaries}
    for row in manifest.calls:
        for place, each in enumerate(row.injections):
            within = each.first_request <= exchange <= each.last_request
            if within and lanes.get(exchange) == each.lane:
                yield row, place


def _order(row: CallRow) -> tuple[int, int, int, str]:
    if row.injections:
        first = row.injections[0]
        return (first.first_request, 0, first.message, first.pointer)
    return (-1 if row.chosen_in is None else row.chosen_in, 1, row.position, "")


def _name(call: ToolCall) -> tuple[str, str, bytes]:
    """What a call is called in every lane, whatever way its arguments are spelled."""
    return (call.id, call.name, canonical_arguments(call.arguments)[1])


def _with_texts(frame: Frame, found: Sequence[Injection]) -> Iterator[tuple[Injection, int, str]]:
    """Each injection with the place among its message's results and the text that stands there."""
    texts: list[str] = []
    message, nth = -1, 0
    for injection in found:
        if injection.message != message:
            message, nth = injection.message, 0
            parts = frame.messages[message].parts
            texts = [part.text for part in parts if isinstance(part, ResultPart)]
        yield injection, nth, texts[nth]
        nth += 1


def _boundary(event: Requested, seals: Seals, before: str, results: int) -> Boundary:
    frame = event.frame
    held = "" if frame is None else frame.held_by_provider or ""
    state: State = "observed" if event.wire else "reconstructed"
    if frame is None:
        state = "unreadable"
    elif held:
        state = "not-observed"
    return Boundary(
        after=seals.context,
        at=event.at,
        before=before or (EMPTY if seals.context else ""),
        body=seals.body,
        exchange=event.exchange,
        frame=seals.frame,
        held=held,
        lane=event.lane,
        model="" if frame is None else frame.model,
        provider="" if frame is None else frame.provider,
        results=results,
        state=state,
        why=event.reason,
    )
