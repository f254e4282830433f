"""All that is asked about messages of two descriptions, in one place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from groundwire.contracts.changes import Content
from groundwire.contracts.openapi.finding import Finding, Part
from groundwire.contracts.openapi.messages.bodies import (
    compare_body,
    compare_content,
    sample_content,
)
from groundwire.contracts.openapi.messages.headers import compare_headers
from groundwire.contracts.openapi.messages.parameters import (
    compare_parameters,
    sample_parameters,
)
from groundwire.contracts.openapi.messages.schemas import Schemas, Side
from groundwire.contracts.verdict import Direction


class AllMessages:
    """Compares and makes up messages, named by pointers; nothing of it raises."""

    def __init__(self, schemas: Schemas) -> None:
        self.schemas = schemas

    def parameters(
        self,
        old: Sequence[str],
        new: Sequence[str],
        direction: Direction,
        renamed: Mapping[str, str],
    ) -> Iterator[Finding]:
        """As `compare_parameters`."""
        return compare_parameters(self.schemas, old, new, direction, renamed)

    def body(self, old: str, new: str, direction: Direction) -> Iterator[Finding]:
        """As `compare_body`."""
        return compare_body(self.schemas, old, new, direction)

    def content(self, old: str, new: str, direction: Direction) -> Iterator[Finding]:
        """As `compare_content`."""
        return compare_content(self.schemas, old, new, direction)

    def headers(self, old: str, new: str, direction: Direction) -> Iterator[Finding]:
        """As `compare_headers`."""
        return compare_headers(self.schemas, old, new, direction)

    def sample_parameters(
        self, side: Side, pointers: Sequence[str], direction: Direction
    ) -> tuple[Part, ...]:
        """As the function of that name."""
        return sample_parameters(self.schemas, side, pointers, direction)

    def sample_content(self, side: Side, pointer: str, direction: Direction) -> Content | None:
        """As the function of that name."""
        return sample_content(self.schemas, side, pointer, direction)
