"""Context chains: each request's `context` and `frame` are those of the messages it names.

docs/reference/recording-format.md, Chains. They run over commitments, so they can be checked
whatever was redacted, and say nothing of a content that is not there.
"""

from __future__ import annotations

from collections.abc import Sequence

from groundwire.canon.digest import raw, tagged, tagged_raw
from groundwire.documents.entry import RequestEntry
from groundwire.errors import EncodingError
from groundwire.recording.frames import Frames
from groundwire.verify.words import Broken

_EMPTY = tagged_raw("context")


class _Lane:
    """The last frame of a lane that was checked.

    `heads` has the chain's head before each message and after the last; `stated` is the frame's
    shell and head, and the frame digest over both.
    """

    __slots__ = ("commitments", "exchange", "heads", "stated")

    def __init__(self) -> None:
        self.exchange: int | None = None
        self.commitments: list[str] = []
        self.heads: list[bytes] = [_EMPTY]
        self.stated: tuple[str, bytes, str] = ("", b"", "")

    def put(self, messages: Sequence[str], start: int) -> None:
        """The frame goes on as it was up to `start`, and then with `messages`."""
        if start < len(self.commitments):
            del self.commitments[start:], self.heads[start + 1 :]
        head = self.heads[-1]
        for commitment in messages:
            head = tagged_raw("context", head, raw(commitment))
            self.heads.append(head)
        self.commitments += messages

    def frame(self, shell: str) -> str:
        """The digest of the frame in this shell."""
        known, head, frame = self.stated
        if known != shell or head is not self.heads[-1]:
            head = self.heads[-1]
            frame = tagged("frame", raw(shell), head)
            self.stated = (shell, head, frame)
        return frame


class Chains:
    """The frames and chains of a segment so far."""

    def __init__(self) -> None:
        self._frames = Frames()
        self._lanes: dict[int, _Lane] = {}

    def check(self, request: RequestEntry, number: int) -> None:
        """The request, in line `number`, shows what its delta says, and its two digests are of it.

        Costs what is new in the frame, where it goes on from the last one of its lane.

        Raises:
            Broken: `frame-wrong`, `context-wrong`.
        """
        try:
            self._frames.take(request)
            if request.whole:
                context, frame = _EMPTY, tagged("frame", raw(request.holds["whole"]))
            else:
                lane = self._lane(request)
                context, frame = lane.heads[-1], lane.frame(request.holds["shell"])
        except EncodingError as error:
            raise Broken("frame-wrong", error.message, number) from error
        if request.frame != frame or request.context != "gw1:" + context.hex():
            raise Broken(
                "context-wrong",
                f"The context or frame digest of exchange {request.exchange} is not that of the "
                "messages it names.",
                number,
            )

    def _lane(self, request: RequestEntry) -> _Lane:
        """The request's lane, whose last frame is this request's now."""
        lane = self._lanes.get(request.lane)
        if lane is None:
            lane = self._lanes[request.lane] = _Lane()
        if request.parent is not None and request.parent != lane.exchange:
            lane.put(self._frames.messages(request.parent), 0)
        lane.exchange = request.exchange
        if request.replaced:
            same = request.replaced[0][0]
            kept = lane.commitments[same : request.keep]
            for index, commitment in request.replaced:
                kept[index - same] = commitment
            lane.put([*kept, *request.append], same)
        elif request.append or request.keep != len(lane.commitments):
            lane.put(request.append, request.keep)
        return lane
