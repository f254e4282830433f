"""A lane's view: which passages its latest frame shows, and which it once saw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import msgspec

from groundwire.documents.frame import Frame, Message, Part
from groundwire.documents.strand import leading

# What a view asks to have numbered: a message, or the parts of a system prompt.
Shown: TypeAlias = Message | tuple[Part, ...]


class Numbers(msgspec.Struct, frozen=True, gc=False):
    """The passage numbers of one message. `unread`: it also showed what has no text."""

    served: tuple[int, ...] = ()
    own: tuple[int, ...] = ()
    unread: bool = False


class View:
    """`served` and `own` are what the lane sees now; `once` is all that was ever served to it.

    `wrote` is all that was ever its model's own, or a library's.
    """

    def __init__(self) -> None:
        self.served: set[int] = set()
        self.own: set[int] = set()
        self.once: set[int] = set()
        self.wrote: set[int] = set()
        self.unread = 0
        self.held_by_provider = False
        self._frame: Frame | None = None
        self._system: tuple[Part, ...] = ()
        self._system_numbers = Numbers()
        self._messages: Sequence[Message] = ()
        self._stack: list[Numbers] = []
        self._counts: dict[int, int] = {}

    @property
    def gone(self) -> set[int]:
        """What was served once and stands in the frame no more."""
        if len(self.once) == len(self.served):
            return set()
        return self.once - self.served

    def show(self, frame: Frame, number: Callable[[Shown], Numbers]) -> None:
        """The lane sees exactly this frame; only what differs from the last one is touched."""
        if frame is self._frame:
            return
        self._frame = frame
        self.held_by_provider = frame.held_by_provider is not None
        if frame.system != self._system:
            self._drop([self._system_numbers])
            self._system, self._system_numbers = frame.system, number(frame.system)
            self._take(self._system_numbers)
        same = leading(self._messages, frame.messages)
        self._drop(self._stack[same:])
        del self._stack[same:]
        for message in frame.messages[same:]:
            numbers = number(message)
            self._stack.append(numbers)
            self._take(numbers)
        self._messages = frame.messages

    def _take(self, numbers: Numbers) -> None:
        self.unread += numbers.unread
        counts = self._counts
        for passage in (*numbers.served, *numbers.own):
            counts[passage] = counts.get(passage, 0) + 1
        self.served.update(numbers.served)
        self.own.update(numbers.own)
        self.once.update(numbers.served)
        self.wrote.update(numbers.own)

    def _drop(self, dropped: Iterable[Numbers]) -> None:
        for numbers in dropped:
            self.unread -= numbers.unread
            for passage in (*numbers.served, *numbers.own):
                self._counts[passage] -= 1
                if not self._counts[passage]:
                    del self._counts[passage]
                    self.served.discard(passage)
                    self.own.discard(passage)
