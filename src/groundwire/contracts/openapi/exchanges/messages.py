"""Messages: what the comparison of exchanges asks about what is inside a single message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

from groundwire.contracts.changes import Content
from groundwire.contracts.openapi.finding import Finding, Part
from groundwire.contracts.verdict import Direction

Side: TypeAlias = Literal["old", "new"]


class Messages(Protocol):
    """Compares and makes up messages of two descriptions, named by pointers; empty for none.

    Nothing of it raises: what cannot be made up is left out.
    """

    def parameters(
        self,
        old: Sequence[str],
        new: Sequence[str],
        direction: Direction,
        renamed: Mapping[str, str],
    ) -> Iterable[Finding]:
        """What became of parameters; `renamed` leads from a path variable's new name to its old."""
        ...

    def body(self, old: str, new: str, direction: Direction) -> Iterable[Finding]:
        """What became of a request's body."""
        ...

    def content(self, old: str, new: str, direction: Direction) -> Iterable[Finding]:
        """What became of the `content` of a response."""
        ...

    def headers(self, old: str, new: str, direction: Direction) -> Iterable[Finding]:
        """What became of the `headers` of a response."""
        ...

    def sample_parameters(
        self, side: Side, pointers: Sequence[str], direction: Direction
    ) -> tuple[Part, ...]:
        """Values of those parameters that have to be sent."""
        ...

    def sample_headers(self, side: Side, pointer: str, direction: Direction) -> tuple[Part, ...]:
        """Values of those of the `headers` of a response that always come."""
        ...

    def sample_content(self, side: Side, pointer: str, direction: Direction) -> Content | None:
        """A body for a `content`."""
        ...
