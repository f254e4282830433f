"""Unreadable: why a file is not read as a contract, and where in it that shows."""

from __future__ import annotations

from groundwire.errors import EncodingError


class Unreadable(EncodingError):
    """A file is not read: `says` why, `line` and `column` count from 1 and are 0 where not known."""

    def __init__(self, reason: str, says: str, line: int = 0, column: int = 0) -> None:
        super().__init__(reason, says)
        self.reason = reason
        self.says = says
        self.line = line
        self.column = column
