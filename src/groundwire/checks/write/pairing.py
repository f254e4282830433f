"""Unpaired call: a call without its result, or a result without its call, in one request.

Judged on each request as it stands, per lane. Calls of the last turn may still be waiting, so they
are judged only when the conversation has moved on or the model has answered without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from groundwire.checks import made_up
from groundwire.checks.seams import Encounter, judged, not_applicable, unreachable
from groundwire.checks.transcript import Transcript
from groundwire.checks.write.pairing_finding import Unpaired, finding_of
from groundwire.checks.write.turns import Turns, turns_of
from groundwire.documents.call import ToolCall
from groundwire.documents.event import Ended, Event, Requested, Responded
from groundwire.documents.finding import Seam
from groundwire.documents.frame import CallPart, Text


class UnpairedCall:
    """Always armed; one encounter for each request, and one for an answer that ignored a call."""

    kind = "unpaired-call"
    seam: Seam = "write"
    version = 1
    armed_by = "always"
    catches = "A call without its result or a result without its call, in one request."
    fences = (
        "silent for calls of the last turn while results come in, because theirs may yet come",
        "silent for tools that the provider runs, because their results need not be sent",
        "silent where calls and results both have no id, because they pair by their order",
        "silent where the provider keeps the calls, because they are not in the request",
    )
    severity = "defect; advisory for the grades `second-result` and `reused-id`"
    sees = (Requested, Responded, Ended)

    def watch(self, transcript: Transcript) -> Watch:
        """A fresh watch for one run."""
        return Watch(transcript)

    def canary(self) -> Sequence[Event]:
        """A call that the user talks past."""
        call = CallPart(ToolCall(id="canary", name="canary_tool", arguments="{}"))
        return (
            made_up.request(
                made_up.message("assistant", call), made_up.message("user", Text("Go on."))
            ),
        )


class _Lane:
    def __init__(self, turns: Turns) -> None:
        self.turns = turns
        self.exchange = -1
        self.held = False


class Watch:
    """Each lane's turns, and the ids of every call and result the run has shown."""

    def __init__(self, transcript: Transcript) -> None:
        self._turns = turns_of(transcript)
        self._lanes: dict[int, _Lane] = {}
        self._called, self._answered = self._turns.called, self._turns.answered

    def see(self, event: Event) -> Iterable[Encounter]:
        """One encounter for each request."""
        if isinstance(event, Requested):
            return (self._judge(event),)
        if isinstance(event, Responded):
            return self._answer(event)
        if isinstance(event, Ended):
            self._lanes.clear()
            self._turns.clear()
        return ()

    def _judge(self, event: Requested) -> Encounter:
        if event.frame is None:
            return unreachable(event.reason or "unreadable-body")
        turns = self._turns.show(event.lane, event.frame)
        lane = self._lanes.get(event.lane)
        if lane is None:
            lane = self._lanes[event.lane] = _Lane(turns)
        lane.exchange = event.exchange
        lane.held = event.frame.held_by_provider is not None
        if not lane.turns.met:
            return not_applicable("no-call")
        found = list(self._unpaired(lane))
        if lane.held and any(unpaired.grade == "no-call" for unpaired in found):
            # The call may stand in the state that the provider keeps.
            return unreachable("held-by-provider")
        return judged([finding_of(unpaired, event.lane, event.step) for unpaired in found])

    def _answer(self, event: Responded) -> Sequence[Encounter]:
        response = event.response
        if response is None or response.error is not None:
            return ()
        for part in response.parts:
            if isinstance(part, CallPart):
                self._called.add(part.call.id)
        lane = self._lanes.get(event.lane)
        if lane is not None and lane.exchange == event.exchange and not lane.held:
            last = lane.turns.last
            if last is not None and last.order and not last.left and not last.unnamed:
                waiting = [Unpaired("no-result", (call,)) for call in last.missing()]
                if waiting:
                    return (judged([finding_of(one, event.lane, event.step) for one in waiting]),)
        return ()

    def _unpaired(self, lane: _Lane) -> Iterator[Unpaired]:
        turns = lane.turns
        for turn in turns.waiting:
            missing = turn.missing()
            if turn.unnamed:
                yield Unpaired("no-id", tuple(missing), unnamed=turn.unnamed)
            elif turn.left:
                for call in missing:
                    seen = bool(call.id) and call.id in self._answered
                    yield Unpaired("evicted-result" if seen else "no-result", (call,))
        for result in turns.strays:
            seen = bool(result.call_id) and result.call_id in self._called
            if not (seen and lane.held):
                yield Unpaired("evicted-call" if seen else "no-call", result=result)
        yield from (Unpaired("second-result", (call,)) for call in turns.again)
        yield from (Unpaired("doubled-id", (call,)) for call in turns.doubled)
        yield from (Unpaired("reused-id", (call,)) for call in turns.reused)
