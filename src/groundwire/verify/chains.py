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
    """The last frame of a lane that was checked: its commitments, and the head after each."""

    def __init__(self) -> None:
        self.exchange: int | None = None
        self.commitments: list[str] = []
        self.heads: list[bytes] = [_EMPTY]

    def replay(self, messages: Sequence[str], start: int) -> bytes:
        """The head of the frame that begins as this one does and from `start` on has `messages`."""
        if start < len(self.commitments):
            del self.commitments[start:], self.heads[start + 1 :]
        head = self.heads[-1]
        for commitment in messages:
            head = tagged_raw("context", head, raw(commitment))
            self.heads.append(head)
        self.commitments += messages
        return head


class Chains:
    """The frames and chains of a segment so far."""

    def __init__(self) -> None:
        self._frames = Frames()
        self._lanes: dict[int, _Lane] = {}
        self._last: tuple[str, str, str] | None = None

    def check(self, request: RequestEntry, number: int) -> None:
        """The request, in line `number`, shows what its delta says, and its two digests are of it.

        Costs what is new in the frame, where it goes on from the last one of its lane.

        Raises:
            Broken: `frame-wrong`, `context-wrong`.
        """
        try:
            self._frames.take(request)
            context = _EMPTY if request.whole else self._context(request)
            stated = self._stated(request, context)
        except EncodingError as error:
            raise Broken("frame-wrong", error.message, number) from error
        if stated != (request.context, request.frame):
            raise Broken(
                "context-wrong",
                f"The context or frame digest of exchange {request.exchange} is not that of the "
                "messages it names.",
                number,
            )

    def _context(self, request: RequestEntry) -> bytes:
        lane = self._lanes.get(request.lane)
        if lane is None:
            lane = self._lanes[request.lane] = _Lane()
        if request.parent is not None and request.parent != lane.exchange:
            lane.replay(self._frames.messages(request.parent), 0)
        lane.exchange = request.exchange
        if not request.replaced:
            return lane.replay(request.append, request.keep)
        same = request.replaced[0][0]
        kept = lane.commitments[same : request.keep]
        for index, commitment in request.replaced:
            kept[index - same] = commitment
        return lane.replay([*kept, *request.append], same)

    def _stated(self, request: RequestEntry, context: bytes) -> tuple[str, str]:
        """What the entry has to say: its context and its frame."""
        if request.whole:
            return "gw1:" + context.hex(), tagged("frame", raw(request.holds["whole"]))
        shell, head = request.holds["shell"], "gw1:" + context.hex()
        if self._last is None or self._last[:2] != (shell, head):
            # Requests that show the same again, as retries do, are digested once.
            self._last = (shell, head, tagged("frame", raw(shell), context))
        return head, self._last[2]
