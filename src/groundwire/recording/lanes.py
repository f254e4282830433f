"""Lanes: which conversation a request belongs to, when one client carries many.

A request joins the lane that the host names; else the one whose answer it carries on; else the one
whose frame it extends; else it opens a lane of its own. A guess that would make another
conversation's messages look evicted is the worst outcome here, so every doubt opens a new lane.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import msgspec

from groundwire.canon.digest import tagged
from groundwire.documents.frame import CallPart, Frame, Message, Response, Text
from groundwire.documents.strand import leading


class Assignment(msgspec.Struct, frozen=True, kw_only=True):
    """Where a request went, and why.

    `reason`: `named` (the host said so), `continues` (it carries an answer given in this lane),
    `held` (it names an answer that the provider keeps), `extends` (it starts with the lane's last
    frame), `forks` (it carries an older answer and not what came after: a new lane, `parent` is
    the one it left), `new`, `unreadable`. `kept` is how many leading messages, after any leading
    system messages, it shares with the lane's last frame.
    """

    lane: int
    reason: str
    name: str | None = None
    parent: int | None = None
    kept: int = 0


class Conversation(msgspec.Struct, frozen=True):
    """The messages of a frame, of which the first `start` are system messages and not the body."""

    messages: Sequence[Message]
    start: int

    @property
    def size(self) -> int:
        """How many messages the body has."""
        return len(self.messages) - self.start


class _Lane:
    __slots__ = ("answered", "conversation", "exchange", "id", "name", "system", "tools")

    def __init__(self, number: int, name: str | None) -> None:
        self.id = number
        self.name = name
        self.system = ""
        self.tools: frozenset[str] = frozenset()
        self.conversation = Conversation((), 0)
        self.exchange = -1
        self.answered: set[str] = set()


class Lanes:
    """The lanes of one run so far.

    Does not tell apart two identical requests sent side by side: they are one lane until one of
    them carries on an answer that the other did not get.
    """

    def __init__(self) -> None:
        self._lanes: list[_Lane] = []
        self._named: dict[str, _Lane] = {}
        self._answers: dict[str, list[_Lane]] = {}
        self._held: dict[str, _Lane] = {}
        self._exchanges: dict[int, _Lane] = {}

    def assign(self, frame: Frame, exchange: int, *, name: str | None = None) -> Assignment:
        """The lane of this request; the frame becomes that lane's last one."""
        system, said = _system_of(frame), _conversation_of(frame)
        tools = frozenset(tool.name for tool in frame.tools)
        if name is not None:
            known = self._named.get(name)
            lane = known or self._open(name)
            found = Assignment(lane=lane.id, reason="named", name=name, kept=_shared(lane, said))
        else:
            found = self._find(frame, system, tools, said)
            lane = self._open(None) if found.lane < 0 else self._lanes[found.lane]
            found = msgspec.structs.replace(found, lane=lane.id, name=lane.name)
        lane.system, lane.tools, lane.conversation = system, tools, said
        lane.exchange = exchange
        lane.answered = set()
        self._exchanges[exchange] = lane
        return found

    def number_of(self, name: str) -> int | None:
        """The lane that the host calls so; None where no request was sent in it."""
        lane = self._named.get(name)
        return None if lane is None else lane.id

    def unreadable(self, exchange: int, *, name: str | None = None) -> Assignment:
        """A lane for a request whose body could not be read: the named one, or a new one."""
        lane = (self._named.get(name) or self._open(name)) if name else self._open(None)
        self._exchanges[exchange] = lane
        return Assignment(lane=lane.id, reason="named" if name else "unreadable", name=name)

    def answered(self, exchange: int, response: Response) -> None:
        """From now on a request that carries this response continues the lane it came in."""
        lane = self._exchanges.get(exchange)
        if lane is None:
            return
        for mark in _marks_of_response(response):
            owners = self._answers.setdefault(mark, [])
            if lane not in owners:
                owners.append(lane)
            if lane.exchange == exchange:
                lane.answered.add(mark)
        if response.id:
            self._held[response.id] = lane

    def _open(self, name: str | None) -> _Lane:
        lane = _Lane(len(self._lanes), name)
        self._lanes.append(lane)
        if name is not None:
            self._named[name] = lane
        return lane

    def _find(
        self, frame: Frame, system: str, tools: frozenset[str], said: Conversation
    ) -> Assignment:
        if frame.held_by_provider and (held := self._held.get(frame.held_by_provider)):
            return Assignment(lane=held.id, reason="held", kept=_shared(held, said))
        for message in reversed(frame.messages):
            if message.role != "assistant":
                continue
            marks = _marks_of_message(message)
            owners = [
                lane
                for lane in self._owners(marks)
                if lane.system == system or (lane.tools and lane.tools == tools)
            ]
            if owners:
                return self._continue(owners, marks, said)
        for lane in reversed(self._lanes):
            size = lane.conversation.size
            if lane.system == system and size and _shared(lane, said) == size:
                return Assignment(lane=lane.id, reason="extends", kept=size)
        return Assignment(lane=-1, reason="new")

    def _owners(self, marks: Iterable[str]) -> list[_Lane]:
        for mark in marks:
            if owners := self._answers.get(mark):
                return owners
        return []

    def _continue(
        self, owners: list[_Lane], marks: tuple[str, ...], said: Conversation
    ) -> Assignment:
        shares = [(_shared(owner, said), owner.exchange) for owner in owners]
        best = max(range(len(owners)), key=shares.__getitem__)
        lane, kept = owners[best], shares[best][0]
        goes_on = (
            kept == lane.conversation.size
            or not lane.answered.isdisjoint(marks)
            or _carries_last(lane, said)
        )
        if goes_on:
            return Assignment(lane=lane.id, reason="continues", kept=kept)
        return Assignment(lane=-1, reason="forks", parent=lane.id, kept=kept)


def _system_of(frame: Frame) -> str:
    texts = [part.text for part in frame.system if isinstance(part, Text)]
    for message in frame.messages:
        if message.role != "system":
            break
        texts.append(message.content_digest)
    return tagged("message", *(text.encode("utf-8", "surrogatepass") for text in texts))


def _conversation_of(frame: Frame) -> Conversation:
    start = 0
    for message in frame.messages:
        if message.role != "system":
            break
        start += 1
    return Conversation(frame.messages, start)


def _shared(lane: _Lane, said: Conversation) -> int:
    """How many leading messages of the bodies say the same.

    Messages that were decoded once are the same objects; only what follows those is compared by
    digest.
    """
    last = lane.conversation
    old, new = last.messages, said.messages
    same = leading(old, new) - last.start if last.start == said.start else -1
    if same < 0:  # The system messages differ, or their number does.
        same = leading(old[last.start :], new[said.start :])
    most = min(last.size, said.size)
    while same < most:
        one, other = old[last.start + same], new[said.start + same]
        if one.content_digest != other.content_digest:
            break
        same += 1
    return same


def _carries_last(lane: _Lane, said: Conversation) -> bool:
    if not lane.conversation.size:
        return False
    last = lane.conversation.messages[-1].content_digest
    body = islice(reversed(said.messages), said.size)
    return any(message.content_digest == last for message in body)


def _marks_of_message(message: Message) -> tuple[str, ...]:
    calls = [f"call:{part.call.id}" for part in message.parts if isinstance(part, CallPart)]
    return (message.content_digest, *calls)


def _marks_of_response(response: Response) -> tuple[str, ...]:
    calls = [f"call:{part.call.id}" for part in response.parts if isinstance(part, CallPart)]
    if not response.parts:
        return ()
    return (response.content_digest, *response.item_digests, *calls)
