"""Frames: which messages each request showed, from deltas to earlier requests of its lane.

docs/reference/recording-format.md, Bodies by parts.
"""

from __future__ import annotations

from groundwire.documents.entry import RequestEntry
from groundwire.errors import EncodingError


class Frames:
    """The requests of one segment so far, each with a delta that leads back to a whole frame."""

    def __init__(self) -> None:
        self.requests: dict[int, RequestEntry] = {}
        self._lengths: dict[int, int] = {}
        self._latest: dict[int, tuple[int, tuple[str, ...]]] = {}

    def take(self, request: RequestEntry) -> None:
        """The request's frame can be built: its delta leads to an earlier one of its own lane.

        Raises:
            EncodingError: `frame-malformed`.
        """
        if request.exchange in self.requests:
            raise _malformed(request, "it has the number of an earlier one")
        kept = 0
        if request.parent is not None:
            parent = self.requests.get(request.parent)
            if parent is None or parent.lane != request.lane:
                raise _malformed(request, "its parent is no earlier exchange of its lane")
            kept = self._lengths[request.parent]
        if request.keep > kept:
            raise _malformed(request, "it keeps more messages than its parent has")
        indices = [index for index, _ in request.replaced]
        if indices != sorted(set(indices)) or (indices and indices[-1] >= request.keep):
            raise _malformed(request, "it replaces messages that it does not keep")
        if ("whole" in request.holds) != request.whole or ("shell" in request.holds) == (
            request.whole
        ):
            raise _malformed(request, "it does not hold either a shell or a whole body")
        if request.whole and (request.keep or request.append):
            raise _malformed(request, "its body stands whole and it has messages")
        self.requests[request.exchange] = request
        self._lengths[request.exchange] = request.keep + len(request.append)

    def messages(self, exchange: int) -> tuple[str, ...]:
        """The commitments of an exchange's messages, in order; none where its body stands whole.

        Linear in the length of the frame and in the number of deltas back to one that was built
        before; the last one of each lane is kept.

        Raises:
            EncodingError: `no-such-exchange`.
        """
        lane = self.request(exchange).lane
        kept = self._latest.get(lane, (-1, ()))
        pieces: list[tuple[str, ...]] = []
        put: dict[int, str] = {}
        at: int | None = exchange
        wanted = self._lengths[exchange]
        while at is not None and wanted:
            if at == kept[0]:
                pieces.append(kept[1][:wanted])
                break
            delta = self.requests[at]
            pieces.append(delta.append[: max(0, wanted - delta.keep)])
            for index, commitment in delta.replaced:
                if index < wanted:
                    put.setdefault(index, commitment)
            wanted = min(wanted, delta.keep)
            at = delta.parent
        messages = [commitment for piece in reversed(pieces) for commitment in piece]
        for index, commitment in put.items():
            messages[index] = commitment
        frame = tuple(messages)
        self._latest[lane] = (exchange, frame)
        return frame

    def request(self, exchange: int) -> RequestEntry:
        """The request entry of an exchange.

        Raises:
            EncodingError: `no-such-exchange`.
        """
        request = self.requests.get(exchange)
        if request is None:
            raise EncodingError("no-such-exchange", f"The recording has no exchange {exchange}.")
        return request


def _malformed(request: RequestEntry, why: str) -> EncodingError:
    return EncodingError(
        "frame-malformed", f"The request of exchange {request.exchange} leads nowhere: {why}."
    )
