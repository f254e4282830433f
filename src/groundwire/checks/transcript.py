"""Transcript: what a run has shown and done so far, folded once for every check.

Checks read it and never write it. It holds what events say and judges nothing. Everything in it
costs what is new in an event, not the length of the frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from groundwire.documents.call import ToolCall
from groundwire.documents.declaration import CheckRules
from groundwire.documents.event import (
    Authored,
    Declared,
    Event,
    Executed,
    Guarded,
    Parked,
    Pinned,
    Requested,
    Responded,
    Vouched,
)
from groundwire.documents.frame import (
    CallPart,
    Frame,
    Message,
    Part,
    Response,
    ResultPart,
    Text,
    ToolSpec,
    host_calls,
)
from groundwire.documents.policy import Content, Grounding, ToolDeclaration
from groundwire.documents.strand import leading
from groundwire.grounding.ground import Ground


@dataclass(eq=False, slots=True)
class Chosen:
    """A call that a response chose, or that stood in a frame whose choosing nobody saw.

    `response` is None for the latter. `turn` is the lane's turn at that time. `shown` is the call
    as the first frame that carries it spells it, `answered` says that a frame carried a result of
    it, and `executions` is what the host says its tool ran with, mostly once. `guarded`: it came to
    the guarded table.
    """

    call: ToolCall
    lane: int
    step: int
    turn: int
    exchange: int | None = None
    response: Response | None = None
    shown: ToolCall | None = None
    answered: bool = False
    guarded: bool = False
    executions: list[Executed] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Served:
    """A tool result as frames show it.

    `chosen` is the call it answers and `tool` that call's name, None and empty where neither the
    wire nor the call id tells it. `number` counts results of the run in order of arrival; those of one
    `batch`, which counts too, came of calls that were made together. `step`
    and `turn` are those of the first request that showed it. `visible`: it stands in its lane's
    latest frame.
    """

    part: ResultPart
    chosen: Chosen | None
    tool: str
    lane: int
    step: int
    turn: int
    number: int
    batch: int
    visible: bool = True

    @property
    def call(self) -> ToolCall | None:
        """The call it answers, as it was chosen."""
        return None if self.chosen is None else self.chosen.call


@dataclass(eq=False, slots=True)
class Standing:
    """A message in its place in a lane's latest frame."""

    message: Message
    served: tuple[Served, ...]


@dataclass(eq=False, slots=True)
class Lane:
    """One conversation: its latest frame, and how that differs from the one before.

    `kept` is how many leading messages stayed; `added` and `dropped` are the messages after them,
    now and before. `turn` counts the user's messages so far (text that a library wrote in a user's
    place is none), also those that a window has dropped: 0 where nobody has spoken. Where a window
    moves on, equal texts of a user in a row may be counted as one. `said` has what they are made of.
    `shown` are all messages that ever came, each as often as it came anew. `results` are those in
    view, in order. `first` is the first frame. `has_dropped`: some message went out of view. `heard` has the texts of people and instructions
    that ever came, each once; of what the host wrote in their place only notices.
    """

    number: int
    frame: Frame | None = None
    kept: int = 0
    added: Sequence[Message] = ()
    dropped: Sequence[Message] = ()
    turn: int = 0
    answer: Response | None = None
    standing: list[Standing] = field(default_factory=list)
    shown: list[Message] = field(default_factory=list)
    said: list[tuple[Part, ...]] = field(default_factory=list)
    first: Frame | None = None
    has_dropped: bool = False
    heard: dict[str, None] = field(default_factory=dict)

    @property
    def results(self) -> list[Served]:
        """The results that the latest frame shows, in order; costs the frame's messages."""
        return [served for standing in self.standing for served in standing.served]


class Transcript:
    """The run so far. `called` and `served` hold everything that was ever chosen or shown.

    `tools` are the declarations in force by name, `offered` every tool that a request ever offered,
    as the last one did.
    `fresh` are the results of the host's tools that the event being judged shows for the first time.
    `ground` has every text of the run and what each lane sees of them; it reads a text when a value
    is first looked up after it.
    """

    def __init__(self) -> None:
        self.ground = Ground()
        self.tools: dict[str, ToolDeclaration] = {}
        self.offered: dict[str, ToolSpec] = {}
        self.rules = CheckRules()
        self.grounding: Grounding = "whole"
        self.content: Content = "full"
        self.arm_all = False
        self.lanes: dict[int, Lane] = {}
        self.called: list[Chosen] = []
        self.served: list[Served] = []
        self.fresh: list[Served] = []
        self.executed: list[Executed] = []
        self.pinned: list[Pinned] = []
        self.parked: dict[str, Parked] = {}
        self.vouched: list[Vouched] = []
        self.authored: dict[str, Authored] = {}
        self._calls: dict[tuple[int, str], Chosen] = {}
        self._chosen: dict[tuple[int, ToolCall], Chosen] = {}
        self._requests: dict[int, Requested] = {}
        self._executed: dict[str, Executed] = {}
        self._waiting: dict[int, Chosen] = {}
        self._known: dict[tuple[int, str, int], list[Served]] = {}
        self._answered: int | None = None
        self._batch = 0
        self._offering: tuple[ToolSpec, ...] = ()

    def see(self, event: Event) -> None:
        """The event is part of what has happened; the engine calls it before it asks any check."""
        if self._answered is not None:
            self._requests.pop(self._answered, None)
            self._answered = None
        if self.fresh:
            self.fresh = []
        match event:
            case Declared():
                self._declare(event)
            case Requested():
                self._request(event)
            case Responded():
                self._respond(event)
            case Executed():
                self._execute(event)
            case Guarded():
                self._guard(event)
            case Pinned():
                self.pinned.append(event)
            case Parked():
                self.parked[event.group] = event
            case Vouched():
                self.vouched.append(event)
            case Authored():
                self.authored[event.text] = event
                self.ground.author(event.text)
            case _:
                pass

    def lane(self, number: int) -> Lane:
        """The lane of this number, empty if nothing was seen of it."""
        lane = self.lanes.get(number)
        if lane is None:
            lane = self.lanes[number] = Lane(number)
        return lane

    def request(self, exchange: int) -> Requested | None:
        """The request of this exchange while its response is being judged; None if none was seen."""
        return self._requests.get(exchange)

    def call(self, lane: int, call_id: str) -> Chosen | None:
        """The latest call of this id in the lane, whether a response or only a frame showed it."""
        return self._calls.get((lane, call_id)) if call_id else None

    def waiting(self) -> list[Chosen]:
        """The calls for the host to run that have neither a result nor an execution, in order."""
        return list(self._waiting.values())

    def execution(self, call_id: str) -> Executed | None:
        """What the tool of the last call of this id ran with, if the host told.

        Where ids are used again, or in several lanes, `Chosen.executions` is the exact answer.
        """
        return self._executed.get(call_id)

    def _declare(self, event: Declared) -> None:
        self.rules, self.grounding, self.content = event.checks, event.grounding, event.content
        self.ground.turn_off(event.checks.equivalences_off)
        self.arm_all |= event.arm_all
        self.tools |= {tool.name: tool for tool in event.declarations}

    def _request(self, event: Requested) -> None:
        self._requests[event.exchange] = event
        lane = self.lane(event.lane)
        frame = event.frame
        if frame is None:
            return
        if frame.tools is not self._offering:  # mostly the same list comes with every request
            self._offering = frame.tools
            self.offered |= {tool.name: tool for tool in frame.tools}
        before = () if lane.frame is None else lane.frame.messages
        kept = leading(before, frame.messages)
        gone = lane.standing[kept:]
        del lane.standing[kept:]
        for standing in gone:
            for served in standing.served:
                served.visible = False
        lane.frame, lane.kept = frame, kept
        if lane.first is None:
            lane.first = frame
        lane.dropped = [standing.message for standing in gone]
        lane.added = frame.messages[kept:]
        lane.shown += lane.added
        if lane.dropped:
            lane.has_dropped = True
            self._go_back(lane)
        self.ground.show(event.lane, frame)
        self._batch += 1
        for message in lane.added:
            self._show(lane, message, event)

    def _go_back(self, lane: Lane) -> None:
        """The turn is the one before those that the added messages show again."""
        added = [each.parts for each in lane.added if self._begins_turn(each)]
        again = min(len(lane.said), len(added))
        while again and lane.said[-again:] != added[:again]:
            again -= 1
        lane.turn -= again
        del lane.said[len(lane.said) - again :]

    def _show(self, lane: Lane, message: Message, event: Requested) -> None:
        if self._begins_turn(message):
            lane.turn += 1
            lane.said.append(message.parts)
        hears = message.role != "assistant" and message.authored_by != "library"
        if message.role != "tool" and any(isinstance(p, CallPart) for p in message.parts):
            self._batch += 1
        served: list[Served] = []
        for place, part in enumerate(message.parts):
            if isinstance(part, Text):
                if hears and self._is_heard(part.text):
                    lane.heard[part.text] = None
            elif isinstance(part, CallPart):
                self._remember(lane, part.call, event)
            elif isinstance(part, ResultPart):
                served.append(self._serve(lane, message, place, part, event))
        lane.standing.append(Standing(message, tuple(served)))

    def _is_heard(self, text: str) -> bool:
        authored = self.authored.get(text)
        return authored is None or authored.kind == "notice"

    def _remember(self, lane: Lane, call: ToolCall, event: Requested) -> None:
        chosen = self._chosen.get((lane.number, call)) if call.id else None
        latest = self.call(lane.number, call.id)
        if latest is not None and latest.shown is None and latest.call.name == call.name:
            # The model's answer comes back, maybe in another spelling.
            chosen = latest
        elif chosen is None:
            chosen = Chosen(call, lane.number, event.step, lane.turn)
            self.called.append(chosen)
        if chosen.shown is None:
            chosen.shown = call
        self._chosen[lane.number, call] = chosen
        if call.id:
            # Of an id that is used again, the call that stands here is meant from here on.
            self._calls[lane.number, call.id] = chosen

    def _serve(
        self, lane: Lane, message: Message, place: int, part: ResultPart, event: Requested
    ) -> Served:
        # A result that a window dropped and shows again is the same result.
        known = self._known.setdefault((lane.number, message.content_digest, place), [])
        for served in known:
            if served.part == part and not served.visible:
                served.visible = True
                return served
        chosen = self.call(lane.number, part.call_id)
        tool = part.name or ("" if chosen is None else chosen.call.name)
        if chosen is not None:
            chosen.answered = True
            self._waiting.pop(id(chosen), None)
        number, batch = len(self.served), self._batch
        served = Served(part, chosen, tool, lane.number, event.step, lane.turn, number, batch)
        self.served.append(served)
        if part.executed_by == "host":
            self.fresh.append(served)
        known.append(served)
        return served

    def _execute(self, event: Executed) -> None:
        self.executed.append(event)
        if event.outcome == "returned":
            for text in (event.result, event.structured):
                if text is not None:
                    self.ground.give_back(text, event.name, event.call_id)
        if event.call_id:
            self._executed[event.call_id] = event
            chosen = None if event.lane is None else self.call(event.lane, event.call_id)
            if chosen is not None:
                chosen.executions.append(event)
                self._waiting.pop(id(chosen), None)

    def _guard(self, event: Guarded) -> None:
        chosen = None if event.lane is None else self.call(event.lane, event.call_id)
        if chosen is None:
            return
        chosen.guarded = True
        if event.state == "outcome" and not event.late:
            self._waiting.pop(id(chosen), None)

    def _begins_turn(self, message: Message) -> bool:
        if message.role != "user" or message.authored_by == "library":
            return False
        texts = [part.text for part in message.parts if isinstance(part, Text)]
        return bool(texts) and not any(text in self.authored for text in texts)

    def _respond(self, event: Responded) -> None:
        self._answered = event.exchange
        response = event.response
        if response is None:
            return
        lane = self.lane(event.lane)
        calls = [part.call for part in response.parts if isinstance(part, CallPart)]
        for call in calls:
            chosen = Chosen(call, event.lane, event.step, lane.turn, event.exchange, response)
            self.called.append(chosen)
            self._chosen[event.lane, call] = chosen
            if call.executed_by == "host":
                self._waiting[id(chosen)] = chosen
            if call.id:
                self._calls[event.lane, call.id] = chosen
        if not any(call.executed_by == "host" for call in calls) and is_answer(response):
            lane.answer = response


def is_answer(response: Response) -> bool:
    """Whether this ends a turn: a whole text to the user, and no tool for the host to run."""
    return (
        response.complete
        and response.error is None
        and any(isinstance(part, Text) and part.text.strip() for part in response.parts)
        and not host_calls(response)
    )


def answer_text(response: Response) -> str:
    """The text of an answer, its parts joined by line feeds."""
    return "\n".join(part.text for part in response.parts if isinstance(part, Text))
