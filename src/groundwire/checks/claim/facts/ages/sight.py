"""Sight: whether all that an answer may rest on is to be seen here."""

from __future__ import annotations

from groundwire.checks.claim.sentences.unread import has_unread
from groundwire.checks.transcript import Transcript
from groundwire.documents.event import Responded
from groundwire.documents.frame import Opaque, ResultPart


def unseen(run: Transcript, event: Responded) -> str:
    """Why evidence of this answer may lie where nothing is read; empty where none can.

    A conversation that the provider keeps, results of the provider's own tools within the response,
    an image or a file.
    """
    frame, response = run.lane(event.lane).frame, event.response
    if frame is None:
        return "unreadable-body"
    if frame.held_by_provider is not None:
        return "held-by-provider"
    if response is not None and any(isinstance(p, ResultPart | Opaque) for p in response.parts):
        return "provider-results"
    return "unread-part" if has_unread(run, event.lane) else ""
