"""Telling: the entries of guarded calls with the documents behind them, as a walk meets them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from groundwire.documents.content import Content
from groundwire.documents.entry import GuardedEntry
from groundwire.recording import content as contents
from groundwire.recording.reader import Files


class Told(msgspec.Struct, frozen=True):
    """An entry, its line, and its document; None where that was redacted or withheld."""

    line: int
    entry: GuardedEntry
    document: bytes | None


class Telling:
    """The guarded entries of a segment so far; holds their documents and no other content."""

    def __init__(self, files: Files) -> None:
        self.told: list[Told] = []
        self._files = files
        self._documents: dict[str, bytes] = {}

    def take(self, entry: GuardedEntry, waiting: Sequence[Content], line: int) -> None:
        """The entry is kept with its document, which is among `waiting` or stood there before.

        `waiting` are the content lines directly before it, whose commitments were seen to hold.
        """
        commitment = entry.holds.get("document", "")
        for content in waiting:
            if content.commitment == commitment and content.parts is None:
                data = self._files(content.file) if content.file else contents.plain(content)
                if data is not None:
                    self._documents[commitment] = data
        self.told.append(Told(line, entry, self._documents.get(commitment)))
