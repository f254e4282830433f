"""Injections: where each tool result stands in each request, and whether it is still what it was.

A result may be injected by every later request, moved, shortened or rewritten. One row for each
request that carries it. For a request that only grew, the rows of the messages it kept are implied
by the last ones: `since` gives what is new, `rows` all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from groundwire.canon import digest
from groundwire.documents.event import Requested
from groundwire.documents.frame import CallPart, Frame, Message, ResultPart
from groundwire.documents.injection import Form, Injection
from groundwire.documents.split import Split
from groundwire.documents.strand import leading
from groundwire.lineage.places import Place, places, starts

_ELLIPSES = ("…", "...")
_NOTE = re.compile(r"\[.*\]|\(.*\)|<.*>|(?:…|\.\.\.).*")


class _First(msgspec.Struct, frozen=True):
    text: str
    digest: str


class _Lane:
    def __init__(self) -> None:
        self.messages: Sequence[Message] = ()
        self.firsts: dict[str, list[_First]] = {}
        self.tools: dict[str, str] = {}


class Injections:
    """What each lane's results were when it first carried them."""

    def __init__(self) -> None:
        self._lanes: dict[int, _Lane] = {}

    def since(self, request: Requested, split: Split | None) -> tuple[Injection, ...]:
        """The rows from the first message on that differs from the lane's last request.

        `split` is the body taken apart, None for an imported log. Every request of a lane has to
        be shown, in order.
        """
        return self._rows(request, split, kept=True)

    def rows(self, request: Requested, split: Split | None) -> tuple[Injection, ...]:
        """Every row of this request, kept messages included.

        It need not be the latest, but those before it in its lane have to have been shown.
        """
        return self._rows(request, split, kept=False)

    def _rows(
        self, request: Requested, split: Split | None, *, kept: bool
    ) -> tuple[Injection, ...]:
        if request.frame is None:
            return ()
        lane = self._lanes.setdefault(request.lane, _Lane())
        frame = request.frame
        first = 0
        if kept:
            first = leading(lane.messages, frame.messages)
            lane.messages = frame.messages
        begins = starts(split) if split is not None else None
        seen: dict[str, int] = {}
        found: list[Injection] = []
        for index, message in enumerate(frame.messages):
            if index < first:
                _count(message, seen)
                continue
            start = begins[index] if begins is not None else None
            for part, place in _known(lane, frame, message, index, start):
                seen[part.call_id] = seen.get(part.call_id, 0) + 1
                found.append(_injection(request, lane, index, part, place, seen[part.call_id]))
        return tuple(found)


def form_of(text: str, first: str) -> Form:
    """What became of `first` in `text`, judged on unescaped characters.

    `prefix` also where only a note in brackets on a last line of its own, or an ellipsis, follows
    the cut; another last line is a rewriting.
    """
    if text == first:
        return "whole"
    if text and first.startswith(text):
        return "prefix"
    if text and text in first:
        return "fragment"
    cut, newline, note = text.rpartition("\n")
    if newline and _NOTE.fullmatch(note.strip()) and _is_start(cut, first):
        return "prefix"
    for ellipsis in _ELLIPSES:
        shortened = text.rstrip().removesuffix(ellipsis)
        if shortened != text.rstrip() and _is_start(shortened, first):
            return "prefix"
    return "rewritten"


def _is_start(text: str, first: str) -> bool:
    return bool(text.strip()) and len(text) < len(first) and first.startswith(text)


def injected_digest(text: str) -> str:
    """The tagged digest of a result's unescaped text."""
    return digest.tagged("injection", text.encode("utf-8", "surrogatepass"))


def _count(message: Message, seen: dict[str, int]) -> None:
    for part in message.parts:
        if isinstance(part, ResultPart):
            seen[part.call_id] = seen.get(part.call_id, 0) + 1


def _known(
    lane: _Lane, frame: Frame, message: Message, index: int, start: int | None
) -> Iterator[tuple[ResultPart, Place]]:
    has_result = False
    for part in message.parts:
        if isinstance(part, CallPart):
            lane.tools[part.call.id] = part.call.name
        has_result |= isinstance(part, ResultPart)
    if has_result:
        yield from places(message, index, frame.provider, start)


def _injection(
    request: Requested, lane: _Lane, index: int, part: ResultPart, place: Place, occurrence: int
) -> Injection:
    firsts = lane.firsts.setdefault(part.call_id, [])
    first = next((known for known in firsts if known.text == part.text), None)
    if first is None and len(firsts) < occurrence:
        # A first result of this call, or of another call with the same id.
        first = _First(part.text, injected_digest(part.text))
        firsts.append(first)
    origin = first or _nearest(part.text, firsts)
    return Injection(
        exchange=request.exchange,
        lane=request.lane,
        call_id=part.call_id,
        tool=part.name or lane.tools.get(part.call_id, ""),
        message=index,
        pointer=place.pointer,
        body_start=place.body.start,
        body_end=place.body.end,
        text_bytes=len(part.text.encode("utf-8", "surrogatepass")),
        text_characters=len(part.text),
        form=form_of(part.text, origin.text),
        injected=origin.digest if first is not None else injected_digest(part.text),
        first_injected=origin.digest,
    )


def _nearest(text: str, firsts: list[_First]) -> _First:
    related = (known for known in firsts if form_of(text, known.text) != "rewritten")
    return next(related, firsts[-1])
