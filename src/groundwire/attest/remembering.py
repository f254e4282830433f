"""What was sealed in this process a moment ago: its envelope need not be read again to be known."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import Generic, TypeVar

from groundwire.documents.entry import Envelope

Document = TypeVar("Document")

_MOST: int = 256
_LONGEST: int = 1 << 14


class Remembered(Generic[Document]):
    """The latest sealed envelopes, each with its document and the digest of its payload.

    An envelope that differs in one character is another one, and is not here. Longer payloads are
    not remembered. Says nothing of whether the signer is trusted.
    """

    def __init__(self) -> None:
        self._held: OrderedDict[Envelope, tuple[Document, str]] = OrderedDict()
        self._lock = threading.Lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def find(self, envelope: Envelope) -> tuple[Document, str] | None:
        """What exactly this envelope says; None where it was not sealed here, or long ago."""
        return self._held.get(envelope)

    def put(self, envelope: Envelope, document: Document, digest: str) -> None:
        """The envelope was made of this document here, and its signature is its signer's."""
        if len(envelope.payload) > _LONGEST:
            return
        with self._lock:
            self._held[envelope] = (document, digest)
            while len(self._held) > _MOST:
                self._held.popitem(last=False)

    def _forked(self) -> None:
        self._lock = threading.Lock()
