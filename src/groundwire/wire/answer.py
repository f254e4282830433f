"""Answer: what a provider's response was found to hold, before it becomes a document."""

from __future__ import annotations

from groundwire.documents.frame import Response
from groundwire.wire.reading import Reading


class Answer:
    """Gathered by a protocol's reader. `items` are the digests of messages it would be sent as."""

    __slots__ = ("error", "id", "items", "model", "reading", "stop", "usage")

    def __init__(self, id: str, model: str, usage: dict[str, int], error: str | None) -> None:  # noqa: A002 -- the wire's own word
        self.id = id
        self.model = model
        self.usage = usage
        self.error = error
        self.stop: str | None = None
        self.reading = Reading()
        self.items: list[str] = []

    def response(self, provider: str, *, complete: bool) -> Response:
        """The document."""
        return Response(
            provider=provider,
            id=self.id,
            model=self.model,
            parts=tuple(self.reading.parts),
            stop=self.stop,
            usage=self.usage,
            complete=complete,
            content_digest=self.reading.digest("assistant"),
            error=self.error,
            opaque=tuple(self.reading.unread),
            item_digests=tuple(self.items),
        )
