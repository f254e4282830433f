"""Frames: which messages each request showed, from deltas to earlier requests of its lane.

docs/reference/recording-format.md, Bodies by parts.
"""

from __future__ import annotations

from typing import TypeAlias

from groundwire.documents.entry import RequestEntry
from groundwire.errors import EncodingError

# Lane, parent, length, keep, append, replaced. A tuple, because there is one for every request.
_Delta: TypeAlias = tuple[int, int | None, int, int, tuple[str, ...], tuple[tuple[int, str], ...]]


class Frames:
    """The frames of one segment so far, each as a delta that leads back to a whole one.

    Keeps the deltas and not the entries: what a frame of a thousand messages adds is what is new.
    Whoever puts one into `deltas` without `take` has seen that `take` would refuse nothing.
    `gone_over` counts the deltas and messages that `messages` went over so far: what it cost.
    """

    def __init__(self) -> None:
        self.gone_over = 0
        self.deltas: dict[int, _Delta] = {}
        self._latest: dict[int, tuple[int, tuple[str, ...]]] = {}

    def __len__(self) -> int:
        return len(self.deltas)

    def take(self, request: RequestEntry) -> None:
        """The request's frame can be built: its delta leads to an earlier one of its own lane.

        Raises:
            EncodingError: `frame-malformed`.
        """
        deltas, lane, keep, append = self.deltas, request.lane, request.keep, request.append
        if request.exchange in deltas:
            raise _malformed(request, "it has the number of an earlier one")
        kept = 0
        if request.parent is not None:
            parent = deltas.get(request.parent)
            if parent is None or parent[0] != lane:
                raise _malformed(request, "its parent is no earlier exchange of its lane")
            kept = parent[2]
        if keep > kept:
            raise _malformed(request, "it keeps more messages than its parent has")
        if request.replaced:
            _check_replaced(request)
        holds, whole = request.holds, request.whole
        if ("whole" in holds) is not whole or ("shell" in holds) is whole:
            raise _malformed(request, "it does not hold either a shell or a whole body")
        if whole and (keep or append):
            raise _malformed(request, "its body stands whole and it has messages")
        size = keep + len(append)
        deltas[request.exchange] = (lane, request.parent, size, keep, append, request.replaced)

    def messages(self, exchange: int) -> tuple[str, ...]:
        """The commitments of an exchange's messages, in order; none where its body stands whole.

        Linear in the length of the frame and in the number of deltas back to one that was built
        before; the last one of each lane is kept.

        Raises:
            EncodingError: `no-such-exchange`.
        """
        if exchange not in self.deltas:
            raise no_such_exchange(exchange, len(self.deltas))
        lane, _, wanted, *_ = self.deltas[exchange]
        kept = self._latest.get(lane, (-1, ()))
        pieces: list[tuple[str, ...]] = []
        put: dict[int, str] = {}
        at: int | None = exchange
        self.gone_over += wanted
        while at is not None and wanted:
            self.gone_over += 1
            if at == kept[0]:
                pieces.append(kept[1][:wanted])
                break
            _, parent, _, keep, append, replaced = self.deltas[at]
            pieces.append(append[: max(0, wanted - keep)])
            for index, commitment in replaced:
                if index < wanted:
                    put.setdefault(index, commitment)
            wanted = min(wanted, keep)
            at = parent
        messages = [commitment for piece in reversed(pieces) for commitment in piece]
        for index, commitment in put.items():
            messages[index] = commitment
        frame = tuple(messages)
        self._latest[lane] = (exchange, frame)
        return frame


def no_such_exchange(exchange: int, known: int) -> EncodingError:
    """The error that says that a recording has no request of this number, and how many it has."""
    there = f"it has {known}" if known != 1 else "it has one"
    rest = "" if known else " Guarded calls are shown by `groundwire guard verify RUN#N`, N from 0."
    return EncodingError(
        "no-such-exchange",
        f"The recording has no request {exchange}; {there}, counted from 0.{rest}",
    )


def _check_replaced(request: RequestEntry) -> None:
    indices = [index for index, _ in request.replaced]
    if indices != sorted(set(indices)) or indices[-1] >= request.keep:
        raise _malformed(request, "it replaces messages that it does not keep")


def _malformed(request: RequestEntry, why: str) -> EncodingError:
    return EncodingError(
        "frame-malformed", f"The request of exchange {request.exchange} leads nowhere: {why}."
    )
