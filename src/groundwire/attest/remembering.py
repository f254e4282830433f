"""What was sealed or verified in this process a moment ago: its envelope need not be read again."""

from __future__ import annotations

from contextlib import suppress
from typing import Final, Generic, TypeVar

from groundwire.documents.entry import Envelope

Document = TypeVar("Document")

_MOST: Final = 256
_LONGEST: Final = 1 << 14


class Remembered(Generic[Document]):
    """The latest envelopes whose signature is known to be good, each with its document and digest.

    An envelope that differs in one character is another one, and is not here. Longer payloads are
    not remembered. Says nothing of whether the signer is trusted. For any number of threads: each
    step on the dictionary is one that the interpreter does at once.
    """

    def __init__(self) -> None:
        self._held: dict[Envelope, tuple[Document, str]] = {}

    def find(self, envelope: Envelope) -> tuple[Document, str] | None:
        """What exactly this envelope says; None where it was not looked at here, or long ago."""
        return self._held.get(envelope)

    def put(self, envelope: Envelope, document: Document, digest: str) -> None:
        """The envelope holds this document, and its signature is its signer's."""
        if len(envelope.payload) > _LONGEST:
            return
        self._held[envelope] = (document, digest)
        while len(self._held) > _MOST:
            with suppress(KeyError, StopIteration, RuntimeError):  # another thread was quicker
                del self._held[next(iter(self._held))]
