"""Turns: the calls of a frame, and which result answers which call.

A turn is an unbroken run of assistant messages (one provider writes each call of a parallel pair
as a message of its own). Calls and results of tools that the provider runs are not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from groundwire.checks.transcript import Transcript
from groundwire.documents.call import ToolCall
from groundwire.documents.frame import CallPart, Frame, Message, ResultPart
from groundwire.documents.strand import leading


@dataclass(eq=False, slots=True)
class Turn:
    """The calls of one turn. `order` has the position of each answered call, as answers came.

    `left` is true once anything but a result followed: the conversation moved on. `unnamed` counts
    results in reach of this turn that name no call although its calls have ids.
    """

    calls: list[ToolCall] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    left: bool = False
    unnamed: int = 0

    def missing(self) -> list[ToolCall]:
        """The calls that no result answers."""
        answered = set(self.order)
        return [call for place, call in enumerate(self.calls) if place not in answered]


class Turns:
    """The turns of one lane's latest frame; a frame that only grew costs what is new.

    `called` and `answered` collect the ids of every call and result that was ever shown; they may
    be shared between lanes. `waiting` are the turns with a call that no result answers, `strays`
    the results that answer no call, `again` calls with a second result, `doubled` calls whose id
    another call of the same turn has, `reused` those whose id an earlier turn has. `parallel` are
    the turns with several calls, without those that the check of their order has settled: it counts
    them in `in_order`.
    """

    def __init__(self, called: set[str], answered: set[str]) -> None:
        self._called, self._answered = called, answered
        self._messages: Sequence[Message] = ()
        self._clear()

    def show(self, frame: Frame) -> None:
        """The lane's frame is this one now."""
        if frame.messages is self._messages:
            return
        before = len(self._messages)
        if leading(self._messages, frame.messages) < before:
            self._clear()
            before = 0
        for message in frame.messages[before:]:
            self._add(message)
        self._messages = frame.messages

    def _clear(self) -> None:
        self.met = False
        self.last: Turn | None = None
        self.waiting: dict[Turn, None] = {}
        self.parallel: dict[Turn, None] = {}
        self.in_order = 0
        self.strays: list[ResultPart] = []
        self.again: list[ToolCall] = []
        self.doubled: list[ToolCall] = []
        self.reused: list[ToolCall] = []
        self._by_id: dict[str, list[tuple[Turn, int]]] = {}
        self._in_turn = False

    def _add(self, message: Message) -> None:
        if message.role == "assistant":
            self._add_assistant(message)
            return
        self._in_turn = False
        results = [part for part in message.parts if isinstance(part, ResultPart)]
        for result in results:
            if result.executed_by == "host":
                self._add_result(result)
        # Pictures and the like that a result holds follow it as parts of their own.
        held = sum(result.opaque for result in results)
        if self.last is not None and (len(results) + held < len(message.parts) or not results):
            self.last.left = True

    def _add_assistant(self, message: Message) -> None:
        if not self._in_turn:
            if self.last is not None:
                self.last.left = True
            self.last = None
            self._in_turn = True
        for part in message.parts:
            if isinstance(part, CallPart) and part.call.executed_by == "host":
                self._add_call(part.call)

    def _add_call(self, call: ToolCall) -> None:
        self.met = True
        self._called.add(call.id)
        turn = self.last = self.last or Turn()
        known = self._by_id.setdefault(call.id, [])
        if call.id and known:
            (self.doubled if known[-1][0] is turn else self.reused).append(call)
        known.append((turn, len(turn.calls)))
        turn.calls.append(call)
        self.waiting[turn] = None
        if len(turn.calls) > 1:
            self.parallel[turn] = None

    def _add_result(self, result: ResultPart) -> None:
        self.met = True
        self._answered.add(result.call_id)
        known = self._by_id.get(result.call_id, [])
        if not result.call_id:
            # Without an id it can only be for the turn before it, in the order of the calls.
            known = [entry for entry in known if entry[0] is self.last]
        turn, place = self._waiting_call(known)
        if turn is not None:
            turn.order.append(place)
            if len(turn.order) == len(turn.calls):
                self.waiting.pop(turn, None)
        elif known:
            self.again.append(known[-1][0].calls[known[-1][1]])
        elif not result.call_id and self.last in self.waiting:
            self.last.unnamed += 1
        else:
            self.strays.append(result)

    def _waiting_call(self, known: list[tuple[Turn, int]]) -> tuple[Turn | None, int]:
        # The latest turn that still waits for this id, and in it the first such call.
        waiting = [(turn, place) for turn, place in known if place not in turn.order]
        if not waiting:
            return None, -1
        turn = waiting[-1][0]
        return turn, next(place for owner, place in waiting if owner is turn)


class TurnsOfRun:
    """The turns of every lane of one run, and the ids of every call and result it has shown."""

    def __init__(self) -> None:
        self.called: set[str] = set()
        self.answered: set[str] = set()
        self._lanes: dict[int, Turns] = {}

    def show(self, lane: int, frame: Frame) -> Turns:
        """The turns of this lane, whose frame is this one now."""
        turns = self._lanes.get(lane)
        if turns is None:
            turns = self._lanes[lane] = Turns(self.called, self.answered)
        turns.show(frame)
        return turns

    def clear(self) -> None:
        """No lane shows anything."""
        self._lanes.clear()


# The checks of a run ask for the same turns; when its transcript is gone, so are they.
_OF_RUN: WeakKeyDictionary[Transcript, TurnsOfRun] = WeakKeyDictionary()


def turns_of(run: Transcript) -> TurnsOfRun:
    """The turns of this run, the same for every check that asks."""
    known = _OF_RUN.get(run)
    if known is None:
        known = _OF_RUN[run] = TurnsOfRun()
    return known
