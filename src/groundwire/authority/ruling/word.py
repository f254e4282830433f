"""Word: what groundwire itself says of an aspect where no rule of the policy does."""

from __future__ import annotations

import msgspec

from groundwire.documents.decision import Word


class Default(msgspec.Struct, frozen=True):
    """A word of groundwire's own. `firm`: no rule takes its place."""

    id: str
    word: Word
    says: str
    firm: bool = False
