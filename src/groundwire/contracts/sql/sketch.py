"""Sketch: what was read of a statement so far."""

from __future__ import annotations

import msgspec

from groundwire.documents.sql import Part


class Sketch(msgspec.Struct, frozen=True, kw_only=True):
    """As `documents.sql.Statement`, without the text."""

    parts: tuple[Part, ...] = ()
    reads: tuple[str, ...] = ()
    transactional: bool = True
    ends_transaction: bool = False
    undecided: tuple[str, ...] = ()

    def also(
        self, *, parts: tuple[Part, ...] = (), undecided: tuple[str, ...] = (), at_word: str = ""
    ) -> Sketch:
        """The same with these as well; `at_word` is what in the text they are about."""
        found = self.parts + tuple(each for each in parts if each not in self.parts)
        if at_word:
            found = (*found, Part(kind="call", at_word=at_word))
        return msgspec.structs.replace(self, parts=found, undecided=self.undecided + undecided)
