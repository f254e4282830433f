"""Windows: what of a conversation a request shows. Each is a function from messages to messages.

None of them parts a call from its result, and none knows what its messages mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from groundwire.documents.call import ToolCall
from groundwire.errors import PolicyError
from groundwire.loop.messages import Message, ModelTurn, ToolResult, UserText

Window: TypeAlias = Callable[[Sequence[Message]], Sequence[Message]]
_PINS = 2


def everything(messages: Sequence[Message]) -> Sequence[Message]:
    """All of it."""
    return messages


def last_turns(count: int) -> Window:
    """A window on the last `count` turns; a turn begins with each text of a user.

    Corrections that the loop wrote begin none.

    Raises:
        PolicyError: `window-too-small`.
    """
    if count < 1:
        raise PolicyError("window-too-small", "A window keeps at least the turn that is under way.")

    def window(messages: Sequence[Message]) -> Sequence[Message]:
        return messages[_starts(messages)[-count:][0] :]

    return window


def pinned_results(window: Window, tools: int = _PINS) -> Window:
    """`window`, and the latest result of up to `tools` tools that it has dropped.

    Those stand behind the first text of a user that is kept, so that every provider takes them. The tools with the most recent results are meant, one result each, with its call. What the loop
    answered itself is no result. The pin does not look at what the result says.
    """

    def pinned(messages: Sequence[Message]) -> Sequence[Message]:
        kept = window(messages)
        there = {id(message) for message in kept}
        calls = {
            call.id: call
            for message in messages
            if isinstance(message, ModelTurn)
            for call in message.calls
        }
        pairs = [
            _pair(calls, result)
            for result in _latest(messages, tools)
            if id(result) not in there and result.call_id in calls
        ]
        back = [message for pair in pairs for message in pair]
        at = 1 if kept and isinstance(kept[0], UserText) else 0
        return [*kept[:at], *back, *kept[at:]]

    return pinned


class Summarised:
    """A window that has turns summarised by `write` when there are more than `most`.

    The last `keep` turns stay; what is before them becomes one message in a user's place, marked
    as a summary. `write` gets the messages that it replaces, the earlier summary among them, and is
    asked once for each.

    Raises:
        PolicyError: `window-too-small`, where nothing would be summarised or nothing kept.
    """

    def __init__(
        self, write: Callable[[Sequence[Message]], str], *, most: int = 6, keep: int = 2
    ) -> None:
        if not 1 <= keep < most:
            raise PolicyError(
                "window-too-small",
                "A summary needs `keep` of at least one turn, and `most` above `keep`.",
            )
        self._write, self._most, self._keep = write, most, keep
        self._covered = 0
        self._summary: UserText | None = None

    def __call__(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The summary so far, and the messages after what it covers."""
        starts = [at for at in _starts(messages) if at >= self._covered]
        if len(starts) > self._most:
            upto = starts[-self._keep]
            text = self._write([*self._so_far(), *messages[self._covered : upto]])
            self._summary, self._covered = UserText(text, "summary"), upto
        return [*self._so_far(), *messages[self._covered :]]

    def _so_far(self) -> list[Message]:
        return [] if self._summary is None else [self._summary]


def _starts(messages: Sequence[Message]) -> list[int]:
    """Where turns begin; the first one at the first message."""
    starts = [
        at
        for at, message in enumerate(messages)
        if isinstance(message, UserText) and not message.authored
    ]
    return [0, *(at for at in starts if at)]


def _latest(messages: Sequence[Message], tools: int) -> list[ToolResult]:
    """The latest result of each of the last `tools` tools, in the order of the conversation."""
    found: dict[str, ToolResult] = {}
    for message in reversed(messages):
        if len(found) == tools:
            break
        if isinstance(message, ToolResult) and not message.settled:
            found.setdefault(message.tool, message)
    return list(reversed(found.values()))


def _pair(calls: dict[str, ToolCall], result: ToolResult) -> tuple[Message, Message]:
    return ModelTurn("", (calls[result.call_id],)), result
