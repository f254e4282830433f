"""Paging: what was shown of a long text, page by page; only what was shown to its end can be granted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from groundwire.errors import GuardError

_FEWEST: Final = 1


class Reading:
    """One reading of `lines` on a terminal of so many rows, of which `kept` are for the prompt.

    Goes forward by one page at a time, and back; a page counts as shown once `written` is told so.
    """

    def __init__(self, lines: Sequence[str], rows: int, kept: int = 1) -> None:
        self._height = max(rows - kept, _FEWEST)
        self._lines = tuple(lines)
        self.count = max(-(-len(self._lines) // self._height), 1)
        self.at = 0
        self._shown = 0

    def page(self) -> tuple[str, ...]:
        """The lines of the page at which the reading is."""
        first = self.at * self._height
        return self._lines[first : first + self._height]

    def written(self) -> None:
        """The page at which the reading is was written, all of it.

        Raises:
            GuardError: `not-shown-whole`: a page before it was not.
        """
        if self.at > self._shown:
            raise GuardError("not-shown-whole", "A page was passed over; begin again.")
        self._shown = max(self._shown, self.at + 1)

    def forward(self) -> None:
        """The next page is up; the last one where this is it, or where this was not written."""
        if self.at + 1 < self.count and self.at < self._shown:
            self.at += 1

    def back(self) -> None:
        """The page before is up; the first one where this is it."""
        self.at = max(self.at - 1, 0)

    @property
    def is_last(self) -> bool:
        """Whether the page that is up is the last."""
        return self.at + 1 == self.count

    def require_whole(self) -> None:
        """Every page was written.

        Raises:
            GuardError: `not-shown-whole`.
        """
        if self._shown < self.count:
            raise GuardError(
                "not-shown-whole",
                f"{self._shown} of {self.count} pages were shown; what was not shown to its end"
                " cannot be granted. Nothing was answered.",
            )
