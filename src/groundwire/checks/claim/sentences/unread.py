"""Unread: whether a lane was shown what has no text here: an image, a file, a part not read."""

from __future__ import annotations

import re
from functools import lru_cache
from weakref import WeakKeyDictionary

from groundwire.checks.transcript import Transcript
from groundwire.documents.frame import Media, Opaque, Part, ResultPart, Text
from groundwire.grounding.folding import lowers_alike

# A file that is handed over by name or number only: nobody here can read it.
_HANDED = re.compile(
    r"[\"']?file_id[\"']?\s*[:=]|[\"']type[\"']\s*:\s*[\"'](?:file|image|document|audio|video|"
    r"input_\w+)[\"']|\bdata:\w+/|\b(?:see|this is) (?:the )?(?:file|image|audio|video) \w+",
    re.I,
)
# One of these stands in whatever it finds; to look for them is many times faster.
_PIECES = ("file_id", 'type"', "type'", "data:", "file ", "image ", "audio ", "video ")
_READ = 4000


class Unread:
    """What each lane was shown, looked through only when somebody asks, and once."""

    def __init__(self) -> None:
        self._read: dict[int, int] = {}
        self._lanes: set[int] = set()

    def holds(self, run: Transcript, lane: int) -> bool:
        """Whether the lane was ever shown such a thing."""
        if lane in self._lanes:
            return True
        shown = run.lane(lane).shown
        fresh = shown[self._read.get(lane, 0) :]
        self._read[lane] = len(shown)
        if any(_is_unread(part) for message in fresh for part in message.parts):
            self._lanes.add(lane)
        return lane in self._lanes


# Several checks of a run ask; when its transcript is gone, so is the answer.
_OF_RUN: WeakKeyDictionary[Transcript, Unread] = WeakKeyDictionary()


def has_unread(run: Transcript, lane: int) -> bool:
    """Whether the lane was ever shown an image, a file or a part that nobody reads here."""
    known = _OF_RUN.get(run)
    if known is None:
        known = _OF_RUN[run] = Unread()
    return known.holds(run, lane)


def _is_unread(part: Part) -> bool:
    match part:
        case Media() | Opaque():
            return True
        case ResultPart(text=text, opaque=opaque):
            return opaque > 0 or _is_handed(text[:_READ])
        case Text(text):
            return _is_handed(text[:_READ])
        case _:
            return False


# What the runs of one agent are shown is much the same.
@lru_cache(maxsize=1024)
def _is_handed(text: str) -> bool:
    if lowers_alike(text):
        low = text.lower()
        if not any(piece in low for piece in _PIECES):
            return False
    return _HANDED.search(text) is not None
