"""Unread: whether a lane was shown what has no text here: an image, a file, a part not read."""

from __future__ import annotations

import re

from groundwire.checks.transcript import Transcript
from groundwire.documents.event import Event, Requested
from groundwire.documents.frame import Media, Message, Opaque, Part, ResultPart, Text

# A file that is handed over by name or number only: nobody here can read it.
_HANDED = re.compile(
    r"[\"']?file_id[\"']?\s*[:=]|[\"']type[\"']\s*:\s*[\"'](?:file|image|document|audio|video|"
    r"input_\w+)[\"']|\bdata:\w+/|\b(?:see|this is) (?:the )?(?:file|image|audio|video) \w+",
    re.I,
)
_READ = 4000


class Unread:
    """What each lane was shown, looked through only when somebody asks, and once."""

    def __init__(self, transcript: Transcript) -> None:
        self._run = transcript
        self._waiting: dict[int, list[Message]] = {}
        self._lanes: set[int] = set()

    def note(self, event: Event) -> None:
        """What a request added is kept until somebody asks."""
        if isinstance(event, Requested) and event.frame is not None:
            self._waiting.setdefault(event.lane, []).extend(self._run.lane(event.lane).added)

    def holds(self, lane: int) -> bool:
        """Whether the lane was ever shown such a thing."""
        waiting = self._waiting.pop(lane, [])
        if any(_is_unread(part) for message in waiting for part in message.parts):
            self._lanes.add(lane)
        return lane in self._lanes


def _is_unread(part: Part) -> bool:
    match part:
        case Media() | Opaque():
            return True
        case ResultPart(text=text, opaque=opaque):
            return opaque > 0 or bool(_HANDED.search(text[:_READ]))
        case Text(text):
            return bool(_HANDED.search(text[:_READ]))
        case _:
            return False
