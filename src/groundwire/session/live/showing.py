"""Showing: what of a body the checks and the file get to see.

Live checks see what a reader of the recording will see, a mark for each secret, so that replay
finds what they found. Results that the policy keeps out of the file are the exception: the checks
see them live, and replay answers `withheld`.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from groundwire.canon.positions import Range
from groundwire.documents.frame import CallPart, Frame, Message, ResultPart
from groundwire.documents.policy import Policy
from groundwire.documents.split import Split
from groundwire.lineage.places import UNKNOWN, places
from groundwire.recording.segments.bodies import Withhold
from groundwire.recording.writer import Recorder


class Showing:
    """Remembers which pieces of a run's bodies hold secrets. Costs nothing where none does."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._marked: dict[bytes, bytes | None] = {}

    def learn(self, split: Split | None) -> None:
        """Something was withheld from a body just recorded: its pieces are looked through."""
        if split is None:
            return
        for piece in (split.before, split.after, *split.messages):
            if piece not in self._marked and (shown := self._recorder.shown(piece)) != piece:
                self._marked[piece] = shown

    def of(self, split: Split) -> Split | None:
        """The body with its marks; the same object where it has none, None where only marks are."""
        if not self._marked:
            return split
        pieces = [
            self._marked.get(piece, piece) for piece in (split.before, split.after, *split.messages)
        ]
        shown = [piece for piece in pieces if piece is not None]
        if len(shown) < len(pieces):
            return None
        if all(new is old for new, old in zip(shown[2:], split.messages, strict=True)) and (
            shown[0] is split.before and shown[1] is split.after
        ):
            return split
        return msgspec.structs.replace(
            split, before=shown[0], after=shown[1], messages=tuple(shown[2:]), kept=0
        )


def keeps_out(policy: Policy, tool: str) -> bool:
    """Whether the policy keeps the results of this tool out of the file.

    Of a tool that nobody names, if it does so with any.
    """
    if not tool and any(each.content == "commitments" for each in policy.tools):
        return True
    named = {each.name: each.content for each in policy.tools}
    return named.get(tool, policy.content) == "commitments"


def withholding(policy: Policy, frame: Frame | None) -> Withhold | None:
    """The stretches of a frame's messages that the policy keeps out of the file, if any."""
    kept_out = {tool.name for tool in policy.tools if tool.content == "commitments"}
    named = {tool.name for tool in policy.tools}
    everything = policy.content == "commitments"
    if not (kept_out or everything):
        return None
    if frame is None:
        # What cannot be read may hold any result: all of it stays out.
        return lambda raw: [Range(0, len(raw))]
    provider = frame.provider
    tools, by_raw = _calls_and_results(frame)

    def keeps_out(part: ResultPart) -> bool:
        tool = part.name or tools.get(part.call_id, "")
        return tool in kept_out or (everything and tool not in named)

    def stretches(raw: bytes) -> list[Range]:
        message = by_raw.get(raw)
        return [] if message is None else list(_results(message, provider))

    def _results(message: Message, provider: str) -> Iterator[Range]:
        for part, place in places(message, 0, provider, 0):
            if not keeps_out(part):
                continue
            if place.body == UNKNOWN:
                # Where the result cannot be told from the rest, all of the message stays out.
                yield Range(0, len(message.raw))
                return
            inside = message.raw[place.body.start : place.body.start + 1] == b'"'
            yield Range(place.body.start + inside, place.body.end - inside)

    return stretches


def _calls_and_results(frame: Frame) -> tuple[dict[str, str], dict[bytes, Message]]:
    """The tool of each call id, and the messages that hold results, by their bytes."""
    tools: dict[str, str] = {}
    by_raw: dict[bytes, Message] = {}
    for message in frame.messages:
        for part in message.parts:
            if isinstance(part, CallPart):
                tools[part.call.id] = part.call.name
            elif isinstance(part, ResultPart):
                by_raw[message.raw] = message
    return tools, by_raw
