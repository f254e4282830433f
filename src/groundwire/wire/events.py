"""Events from entries: the same function live and offline, so that both see the same."""

from __future__ import annotations

from groundwire.documents.entry import RequestEntry
from groundwire.documents.event import Requested
from groundwire.documents.frame import Frame


def requested(entry: RequestEntry, frame: Frame | None, *, reason: str = "") -> Requested:
    """The event of a recorded request; `frame` is what its body decodes to.

    `reason` says why there is none where the entry itself does not (`withheld`).
    """
    return Requested(
        step=entry.seq,
        at=entry.at,
        exchange=entry.exchange,
        lane=entry.lane,
        attempt=entry.attempt,
        composed=entry.composed,
        frame=frame,
        reason=entry.unreadable or reason,
        kept=entry.replaced[0][0] if entry.replaced else entry.keep,
    )
