"""Context chains: each request's `context` and `frame` are those of the messages it names.

docs/reference/recording-format.md, Chains. They run over commitments, so they can be checked
whatever was redacted, and say nothing of a content that is not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundwire.canon.digest import frame_digest, heads_of, raw, tagged, tagged_raw
from groundwire.documents.entry import AnyEntry, RequestEntry
from groundwire.errors import EncodingError
from groundwire.recording.frames import Frames
from groundwire.verify.words import Broken

# A request that leaves its lane's last frame, or puts another message in the middle of it, costs
# as much as the frame is long, whatever little it says: so much of that is borne in any recording,
# and so much more for each of its requests. A run of 10,000 steps that puts another message in
# front of 4,000 at every step stays under it.
SPARE = 1 << 24
SPARE_A_REQUEST = 1 << 12

_EMPTY = tagged_raw("context")
_EMPTY_TEXT = "gw1:" + _EMPTY.hex()


class _Lane:
    """The last frame of a lane that was checked.

    `heads` has the chain's head before each message and after the last. `stated` has, of the
    frame as it is, the shell that was asked for last, the context and the frame digest; it is None
    where none was asked for.
    """

    __slots__ = ("commitments", "exchange", "heads", "stated")

    def __init__(self) -> None:
        self.exchange: int | None = None
        self.commitments: list[str] = []
        self.heads: list[bytes] = [_EMPTY]
        self.stated: tuple[str, str, str] | None = None

    def put(self, messages: Sequence[str], start: int) -> None:
        """The frame goes on as it was up to `start`, and then with `messages`."""
        if start < len(self.commitments):
            del self.commitments[start:], self.heads[start + 1 :]
        self.heads += heads_of(self.heads[-1], messages)
        self.commitments += messages
        self.stated = None


class Chains:
    """The frames and chains of a segment so far."""

    def __init__(self) -> None:
        self._frames = Frames()
        self._lanes: dict[int, _Lane] = {}
        self._hashed_again = 0
        self._shell = ("gw1:" + "00" * 32, bytes(32))

    @property
    def cost(self) -> int:
        """How many messages were hashed again and deltas followed back, beside what was new."""
        return self._hashed_again + self._frames.gone_over

    def follow(self, entries: Iterable[AnyEntry], numbers: Iterable[int]) -> None:
        """`check` of every request among these entries, which stand in the lines `numbers`.

        Faster for a request that goes on from the last one of its lane, as most do, or begins one.
        """
        lanes, deltas = self._lanes, self._frames.deltas
        at = 0
        try:
            for each, at in zip(entries, numbers, strict=True):
                if type(each) is not RequestEntry:
                    continue
                lane = lanes.get(each.lane)
                if lane is None:
                    lane = _Lane()
                exchange, parent, keep, holds = each.exchange, each.parent, each.keep, each.holds
                shell = holds.get("shell")
                if (
                    parent != lane.exchange
                    or keep != len(lane.commitments)
                    or each.replaced
                    or each.whole
                    or "whole" in holds
                    or shell is None
                    or exchange in deltas
                ):
                    self.check(each, at)
                    continue
                append = each.append
                deltas[exchange] = (each.lane, parent, keep + len(append), keep, append, ())
                if parent is None:
                    lanes[each.lane] = lane
                lane.exchange = exchange
                if append:
                    lane.put(append, keep)
                stated = lane.stated
                if stated is None or shell != stated[0]:
                    stated = self._state(lane, shell)
                if each.frame != stated[2] or each.context != stated[1]:
                    raise _wrong_context(each, at)
        except EncodingError as error:
            raise Broken("frame-wrong", error.message, at) from error

    def check(self, request: RequestEntry, number: int) -> None:
        """The request, in line `number`, shows what its delta says, and its two digests are of it.

        Costs what is new in the frame, where it goes on from the last one of its lane.

        Raises:
            Broken: `frame-wrong`, `context-wrong`, `too-costly`.
        """
        try:
            self._frames.take(request)
            if request.whole:
                context, frame = _EMPTY_TEXT, tagged("frame", raw(request.holds["whole"]))
            else:
                lane = self._lane(request, number)
                _, context, frame = self._state(lane, request.holds["shell"])
        except EncodingError as error:
            raise Broken("frame-wrong", error.message, number) from error
        if request.frame != frame or request.context != context:
            raise _wrong_context(request, number)

    def _lane(self, request: RequestEntry, number: int) -> _Lane:
        """The request's lane, whose last frame is this request's now."""
        lane = self._lanes.get(request.lane)
        if lane is None:
            lane = self._lanes[request.lane] = _Lane()
        parent, keep, append = request.parent, request.keep, request.append
        if parent is not None and parent != lane.exchange:
            messages = self._frames.messages(parent)
            self._bear(len(messages), number)
            lane.put(messages, 0)
        lane.exchange = request.exchange
        if request.replaced:
            same = request.replaced[0][0]
            self._bear(keep - same, number)
            kept = lane.commitments[same:keep]
            for index, commitment in request.replaced:
                kept[index - same] = commitment
            lane.put([*kept, *append], same)
        elif append or keep != len(lane.commitments):
            lane.put(append, keep)
        return lane

    def _state(self, lane: _Lane, shell: str) -> tuple[str, str, str]:
        """The shell, the context, and the digest of the lane's frame in this shell."""
        stated = lane.stated
        if stated is None or stated[0] != shell:
            if shell != self._shell[0]:
                self._shell = (shell, raw(shell))
            head = lane.heads[-1]
            frame = frame_digest(self._shell[1], head)
            lane.stated = stated = (shell, "gw1:" + head.hex(), frame)
        return stated

    def _bear(self, messages: int, number: int) -> None:
        """So many messages more may be hashed again."""
        self._hashed_again += messages
        if self.cost > SPARE + SPARE_A_REQUEST * len(self._frames):
            raise Broken(
                "too-costly",
                "The requests up to here jump so often between long frames that to follow them "
                "all would take far longer than to read the file.",
                number,
            )


def _wrong_context(request: RequestEntry, number: int) -> Broken:
    return Broken(
        "context-wrong",
        f"The context or frame digest of exchange {request.exchange} is not that of the "
        "messages it names.",
        number,
    )
