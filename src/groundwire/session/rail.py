"""The rail: the straight path of one run, from wire to recording to checks. One lock, one order.

What crosses here is recorded first and then made into an event; checks see nothing else. The same
events are made from a recording by `audit.replay`, so live and offline are one fold.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec

from groundwire.canon import jcs
from groundwire.canon.digest import sha256
from groundwire.canon.positions import Range
from groundwire.checks.engine import Engine
from groundwire.documents.entry import ComposedEntry, ExpectedEntry, RequestEntry
from groundwire.documents.event import (
    ChildStarted,
    Composed,
    Declared,
    Ended,
    Event,
    Executed,
    Expected,
    Guarded,
    Requested,
    Responded,
)
from groundwire.documents.finding import Finding
from groundwire.documents.frame import Frame, Response, host_calls
from groundwire.documents.governing import GuardRules
from groundwire.documents.policy import Policy
from groundwire.documents.split import Split
from groundwire.errors import EncodingError
from groundwire.recording.lanes import Lanes
from groundwire.recording.segments.said import Said, names_in
from groundwire.recording.writer import Recorder
from groundwire.session.live.attempts import WatchedAttempt
from groundwire.session.live.callbacks import Callbacks
from groundwire.session.live.showing import Showing, keeps_out, withholding
from groundwire.session.watching import Headers
from groundwire.wire.decoder import Decoder, recognise
from groundwire.wire.encodings import decode_content
from groundwire.wire.events import requested
from groundwire.wire.split import Splitter

Outcome: TypeAlias = Literal["complete", "cut", "closed-early", "error"]


class Rail:
    """Everything that happens in one run, in the order in which it is recorded.

    Not safe without its lock: callers hold `lock`. Raises what the recorder raises; `Session`
    decides what an error of the recorder means for the agent.
    """

    def __init__(
        self,
        recorder: Recorder,
        policy: Policy,
        callbacks: Callbacks,
        turn_ended: Callable[[], None],
    ) -> None:
        self.lock = threading.RLock()
        self.recorder = recorder
        self.engine = Engine(posture=policy.posture)
        self.pending: deque[WatchedAttempt] = deque()
        self.under_way: set[WatchedAttempt] = set()
        self.exchanges = 0
        self.policy = policy
        self._callbacks = callbacks
        self._turn_ended = turn_ended
        self._splitter = Splitter()
        self._decoder = Decoder()
        self._lanes = Lanes()
        self._showing = Showing(recorder)
        self._last = (0, "")

    @property
    def busy(self) -> bool:
        """Whether an exchange is under way or waits to be taken up."""
        return bool(self.under_way or self.pending)

    def declare(self, step: int, at: str) -> None:
        """The checks know what the entry of this step declares, as a reader of it will."""
        data = jcs.encode(msgspec.to_builtins(self.policy))
        shown = self.recorder.shown(data)
        policy = self.policy
        if shown != data:
            policy = Policy() if shown is None else msgspec.json.decode(shown, type=Policy)
        self._feed(
            Declared(
                step=step,
                at=at,
                declarations=policy.tools,
                grounding=policy.grounding,
                posture=policy.posture,
                content=policy.content,
                checks=policy.checks,
                guards=policy.guard != GuardRules(),
            )
        )

    def redeclare(self, policy: Policy) -> None:
        """More is declared from here on; nothing that was declared is gone."""
        if policy != self.policy:
            entry = self.recorder.declared(msgspec.to_builtins(policy))
            self.policy = policy
            self.declare(entry.seq, entry.at)

    def expect(self, tools: Sequence[str]) -> None:
        """From now on every request is expected to offer these tools."""
        entry = self.recorder.expected(tuple(tools))
        names = self._shown_names(entry, tuple(tools))
        self._feed(Expected(step=entry.seq, at=entry.at, tools=names))

    def say(self, said: Said) -> None:
        """What was said of the run is recorded, and the checks know it; a guarded state, whoever asked."""
        keep_out = isinstance(said, Executed) and keeps_out(self.policy, said.name)
        told = self.recorder.said(said, keep_out=keep_out)
        self._feed(told)
        if isinstance(told, Guarded):
            self._callbacks.tell("guarded", told)

    def lane_number(self, name: str | None) -> int | None:
        """The number of the lane of this name; None where no request was sent in it."""
        return None if name is None else self._lanes.number_of(name)

    def child(self, *, run: str, name: str) -> None:
        """From here on the run has a child, and the checks know it."""
        entry = self.recorder.child(run=run, name=name)
        self._feed(ChildStarted(step=entry.seq, at=entry.at, run=run))

    def compose(self, tools: tuple[str, ...]) -> int:
        """The composed tools of one SDK call are recorded; returns the call's number."""
        entry = self.recorder.composed(tools)
        names = self._shown_names(entry, tools)
        self._feed(Composed(step=entry.seq, at=entry.at, call=entry.call, tools=names))
        return entry.call

    def _shown_names(
        self, entry: ExpectedEntry | ComposedEntry, tools: tuple[str, ...]
    ) -> tuple[str, ...]:
        """The names as a reader of the recording will see them."""
        if not self.recorder.is_sealed(entry):
            return tools
        shown = self.recorder.shown(jcs.encode(list(tools)))
        return () if shown is None else names_in(shown)

    def request(
        self,
        *,
        method: str,
        url: str,
        headers: Headers,
        body: bytes,
        attempt: int,
        composed: int | None,
        lane_name: str | None,
        settled: Callable[[WatchedAttempt], None],
    ) -> WatchedAttempt:
        """The request is recorded and checked; what comes back goes into the attempt."""
        self.drain(early=True)
        parts = urlsplit(url)
        path = parts.path or "/"
        provider = recognise(parts.hostname or "", path)
        exchange, self.exchanges = self.exchanges, self.exchanges + 1
        split, frame, unreadable = self._read(body, provider)
        if frame is None:
            assigned = self._lanes.unreadable(exchange, name=lane_name)
        else:
            assigned = self._lanes.assign(frame, exchange, name=lane_name)
        entry = self.recorder.request(
            exchange=exchange,
            lane=assigned.lane,
            lane_name=assigned.name,
            lane_reason=assigned.reason,
            lane_parent=assigned.parent,
            attempt=attempt,
            composed=composed,
            provider=provider or "unknown",
            method=method,
            path=path,
            headers=headers,
            body=body,
            split=split,
            frame=frame,
            unreadable=unreadable,
            withhold=withholding(self.policy, frame) or _nothing,
        )
        if self.recorder.is_sealed(entry):
            self._showing.learn(split)
        if provider is not None:
            self._feed(self._requested(entry, split, frame))
        watched = WatchedAttempt(exchange, assigned.lane, provider or "unknown", settled)
        self.under_way.add(watched)
        return watched

    def _requested(
        self, entry: RequestEntry, split: Split | None, frame: Frame | None
    ) -> Requested:
        """The event that a reader of the recording would make of the entry."""
        if split is None or frame is None:
            return requested(entry, None)
        shown = self._showing.of(split)
        if shown is None:
            return requested(entry, None, reason="withheld")
        return requested(
            entry, frame if shown is split else self._decoder.frame(shown, entry.provider)
        )

    def _read(self, body: bytes, provider: str | None) -> tuple[Split | None, Frame | None, str]:
        if provider is None:
            return None, None, "unknown-endpoint"
        try:
            split = self._splitter.split(body, provider)
            return split, self._decoder.frame(split, provider), ""
        except EncodingError as error:
            return None, None, error.reason

    def drain(self, *, early: bool = False, last: bool = False) -> None:
        """Every attempt that is over is recorded and checked, in the order in which they ended.

        With `early`, so is one that nobody closed though its terminator was seen; with `last`, so
        is every one that is still under way.
        """
        while self.pending:
            self._settle(self.pending.popleft())
        if self.under_way and (early or last):
            for attempt in [a for a in self.under_way if last or a.seems_over()]:
                self._settle(attempt)

    def _settle(self, attempt: WatchedAttempt) -> None:
        self.under_way.discard(attempt)
        if not attempt.take():
            return
        captured = b"".join(attempt.chunks)
        attempt.chunks.clear()
        headers = {name.lower(): value for name, value in attempt.headers}
        encoding = headers.get("content-encoding", "identity").strip().lower() or "identity"
        streamed = headers.get("content-type", "").startswith("text/event-stream")
        body, response, reason = self._answer(attempt, captured, encoding, streamed=streamed)
        entry = self.recorder.response(
            exchange=attempt.exchange,
            lane=attempt.lane,
            status=attempt.status,
            outcome=_outcome(attempt, response),
            streamed=streamed,
            encoding=encoding,
            captured=len(captured),
            captured_digest=sha256(captured),
            body=captured if body is None else body,
            headers=attempt.headers,
            error=attempt.error,
        )
        if response is not None:
            self._lanes.answered(attempt.exchange, response)
        if body is not None and response is not None and self.recorder.is_sealed(entry):
            response, reason = self._shown_response(attempt, body, streamed=streamed)
        if attempt.provider != "unknown":
            self._feed(
                Responded(
                    step=entry.seq,
                    at=entry.at,
                    exchange=attempt.exchange,
                    lane=attempt.lane,
                    response=response,
                    reason=reason,
                )
            )
        if response is not None and response.complete and not host_calls(response):
            self._turn_ended()

    def _answer(
        self, attempt: WatchedAttempt, captured: bytes, encoding: str, *, streamed: bool
    ) -> tuple[bytes | None, Response | None, str]:
        if attempt.status is None:
            return None, None, "no-response"
        try:
            body = decode_content(captured, encoding)
        except EncodingError as error:
            return None, None, error.reason
        if attempt.provider == "unknown":
            return body, None, "unknown-endpoint"
        try:
            return body, self._decoder.response(body, attempt.provider, streamed=streamed), ""
        except EncodingError as error:
            return body, None, error.reason

    def _shown_response(
        self, attempt: WatchedAttempt, body: bytes, *, streamed: bool
    ) -> tuple[Response | None, str]:
        shown = self.recorder.shown(body)
        if shown is None:
            return None, "withheld"
        try:
            return self._decoder.response(shown, attempt.provider, streamed=streamed), ""
        except EncodingError as error:
            return None, error.reason

    def end(self) -> None:
        """The run is over; what the checks have to say last is recorded, then the ledger."""
        self.drain(last=True)
        step, at = self._last
        self._feed(Ended(step=step, at=at))
        rows, findings = self.engine.rows(), self.engine.findings()
        self.recorder.disposition(
            rows=rows,
            findings=findings,
            posture=self.policy.posture,
            work=self.engine.worked,
        )
        self._callbacks.tell("disposition", rows)

    def _feed(self, event: Event) -> None:
        self._last = (event.step, event.at)
        for finding in self.engine.feed(event):
            self._file(finding)

    def _file(self, finding: Finding) -> None:
        self.recorder.finding(finding)
        self._callbacks.tell("finding", finding)


def _outcome(attempt: WatchedAttempt, response: Response | None) -> Outcome:
    if attempt.status is None:
        return "error"
    if response is not None and response.complete:
        return "complete"
    if attempt.provider == "unknown" and attempt.how == "whole":
        return "complete"
    return "closed-early" if attempt.how in {"closed", None} else "cut"


def _nothing(_: bytes) -> tuple[Range, ...]:
    return ()
