"""Unread: whether a lane was shown what has no text here: an image, a file, a part not read."""

from __future__ import annotations

import re
from functools import lru_cache
from weakref import WeakKeyDictionary

from groundwire.checks.transcript import Transcript
from groundwire.documents.frame import Media, Opaque, Part, ResultPart, Text
from groundwire.grounding.folding import lowers_alike

# A file that is handed over by name or number only: nobody here can read it. One of the pieces
# stands in whatever an expression finds; to look for them is many times faster.
_HANDED = (
    (("file_id",), r"file_id[\"']?\s*[:=]"),
    (
        ('type"', "type'"),
        r"type(?<=[\"']type)[\"']\s*:\s*[\"'](?:file|image|document|audio|video|input_\w+)[\"']",
    ),
    (("data:",), r"data:(?<!\wdata:)\w+/"),
    (
        ("file ", "image ", "audio ", "video "),
        r"\b(?:see|this is) (?:the )?(?:file|image|audio|video) \w+",
    ),
)
_IN_LOWER = [(pieces, re.compile(pattern)) for pieces, pattern in _HANDED]
_IN_ANY = re.compile("|".join(pattern for _, pattern in _HANDED), re.I)
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
    if not lowers_alike(text):
        return _IN_ANY.search(text) is not None
    low = text.lower()
    return any(
        any(map(low.__contains__, pieces)) and pattern.search(low) is not None
        for pieces, pattern in _IN_LOWER
    )
