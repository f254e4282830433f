"""Summaries: which new message of a frame stands in the place of dropped ones and is model's text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from groundwire.checks.transcript import Lane, Transcript
from groundwire.documents.frame import Message, ResultPart, Text
from groundwire.grounding.folding import fold

# A shorter text of a model may stand in a message by chance.
_LEAST = 60


class Summary(msgspec.Struct, frozen=True):
    """A text that replaces messages: those, and what else is in view."""

    text: str
    replaced: tuple[Message, ...]
    beside: tuple[Message, ...]


class Summaries:
    """The texts that models of the run have written so far, to know one again."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._written: dict[str, tuple[int, str]] = {}
        self._unread: list[tuple[int, str]] = []

    def wrote(self, lane: int, text: str) -> None:
        """A model of this lane wrote this."""
        self._unread.append((lane, text))

    def _read(self) -> None:
        # Few runs have a summary, and only there is it asked what was written.
        for lane, text in self._unread:
            folded = fold(text)
            if len(folded) >= _LEAST:
                self._written[folded] = (lane, text)
        self._unread.clear()

    def of_request(self, lane: Lane) -> Summary | None:
        """The summary that the lane's newest frame brought in, if it brought one."""
        if not lane.dropped or lane.frame is None:
            return None
        added, dropped = set(map(_key, lane.added)), set(map(_key, lane.dropped))
        replaced = tuple(message for message in lane.dropped if _key(message) not in added)
        if not replaced:
            return None
        for place in _places(lane.added, dropped):
            message = lane.added[place]
            text = self._models_text(lane, message)
            if text:
                beside = tuple(other for other in lane.frame.messages if other is not message)
                return Summary(text, replaced, beside)
        return None

    def _models_text(self, lane: Lane, message: Message) -> str:
        """What of this message a model wrote or a host called a summary; empty for none of it."""
        text = "\n".join(part.text for part in message.parts if isinstance(part, Text))
        for told in self._run.authored.values():
            if told.kind == "summary" and told.text in text:
                return told.text
        folded = fold(text)
        if len(folded) < _LEAST:
            return ""
        self._read()
        for written, (author, original) in self._written.items():
            if written in folded:
                # What the lane's model said itself and stands as its turn sums up nothing.
                is_turn = message.role == "assistant" and author == lane.number
                return "" if is_turn and written == folded else original
        return ""


def _places(added: Sequence[Message], dropped: Collection[object]) -> Iterator[int]:
    """Where a new message stands before one that stayed; the first of all where none stayed."""
    stayed = [place for place, message in enumerate(added) if _key(message) in dropped]
    last = stayed[-1] if stayed else 1
    yield from (
        place for place in range(min(last, len(added))) if _key(added[place]) not in dropped
    )


def texts_of(messages: Iterable[Message]) -> list[str]:
    """Every text that stands in these messages, calls' arguments with it."""
    found: list[str] = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, Text | ResultPart):
                found.append(part.text)
            elif (call := getattr(part, "call", None)) is not None:
                found.append(f"{call.name} {call.arguments}")
    return found


def counted(messages: Sequence[Message]) -> str:
    """How many messages these are and of which roles, in words."""
    roles = [message.role for message in messages]
    of = ", ".join(f"{roles.count(role)} {role}" for role in dict.fromkeys(roles))
    return f"{len(roles)} message{'s' if len(roles) > 1 else ''} ({of})"


def _key(message: Message) -> object:
    return message.role, message.parts
