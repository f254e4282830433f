"""Telling: the entries of guarded calls with the documents behind them, as a walk meets them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from groundwire.canon.digest import tagged
from groundwire.documents.content import Content
from groundwire.documents.entry import DeclaredEntry, GuardedEntry, Open
from groundwire.recording import content as contents
from groundwire.recording.reader import Files


class Told(msgspec.Struct, frozen=True):
    """An entry, its line, and its document; None where that was redacted or withheld.

    `policies` are the digests of those that were in force until here, None where one is not here.
    """

    line: int
    entry: GuardedEntry
    document: bytes | None
    policies: frozenset[str] | None


class Telling:
    """The guarded entries of a segment so far; holds their documents and no other content.

    `policies` as in `Told`: that of the opening, and what a resumed run declared anew.
    """

    def __init__(self, files: Files) -> None:
        self.told: list[Told] = []
        self.policies: frozenset[str] | None = frozenset()
        self._files = files
        self._documents: dict[str, bytes] = {}

    def take(self, entry: GuardedEntry, waiting: Sequence[Content], line: int) -> None:
        """The entry is kept with its document, which is among `waiting` or stood there before.

        `waiting` are the content lines directly before it, whose commitments were seen to hold.
        """
        commitment = entry.holds.get("document", "")
        data = self._among(waiting, commitment)
        if data is not None:
            self._documents[commitment] = data
        document = self._documents.get(commitment)
        self.told.append(Told(line, entry, document, self.policies))

    def open(self, opening: Open) -> None:
        """The segment's policy is in force."""
        self.policies = frozenset((opening.policy,))

    def declare(self, entry: DeclaredEntry, waiting: Sequence[Content]) -> None:
        """What a resumed run declares is in force from here on."""
        data = self._among(waiting, entry.holds.get("declared", ""))
        if data is None or self.policies is None:
            self.policies = None
        else:
            self.policies |= {tagged("policy", data)}

    def _among(self, waiting: Sequence[Content], commitment: str) -> bytes | None:
        for content in waiting:
            if content.commitment == commitment and content.parts is None:
                return self._files(content.file) if content.file else contents.plain(content)
        return None
