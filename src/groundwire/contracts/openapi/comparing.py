"""Two versions of an API's description in; what changed for those who use it, with exchanges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from groundwire.contracts.changes import Change, Content
from groundwire.contracts.collecting import uncollected
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.exchanges.comparison import Comparison
from groundwire.contracts.openapi.exchanges.messages import Side
from groundwire.contracts.openapi.exchanges.unchanged import is_same
from groundwire.contracts.openapi.finding import Finding, Part
from groundwire.contracts.openapi.messages.bodies import (
    compare_body,
    compare_content,
    sample_content,
)
from groundwire.contracts.openapi.messages.headers import compare_headers, sample_headers
from groundwire.contracts.openapi.messages.parameters import (
    compare_parameters,
    sample_parameters,
)
from groundwire.contracts.openapi.options import Options
from groundwire.contracts.openapi.schemas import Schemas
from groundwire.contracts.verdict import Direction

_DEFAULT = Options()


def compare(old: Description, new: Description, options: Options = _DEFAULT) -> tuple[Change, ...]:
    """The changes between two descriptions, gravest first; each cause once.

    What is only written otherwise is none: order, names of components, references, texts,
    examples, and extensions that are not known. A part that could not be read is undecided where
    it is reached, unless the descriptions are the same as a whole. Reads no file and no clock,
    raises nothing, and the same descriptions come to the same changes on each run.
    """
    if is_same(old, new):
        return ()
    with uncollected():
        return Comparison(old, new, options, _Asked(Schemas(old, new, options))).changes()


class _Asked:
    """The messages of two descriptions, by their schemas."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas

    def parameters(
        self,
        old: Sequence[str],
        new: Sequence[str],
        direction: Direction,
        renamed: Mapping[str, str],
    ) -> Iterable[Finding]:
        return compare_parameters(self._schemas, old, new, direction, renamed)

    def body(self, old: str, new: str, direction: Direction) -> Iterable[Finding]:
        return compare_body(self._schemas, old, new, direction)

    def content(self, old: str, new: str, direction: Direction) -> Iterable[Finding]:
        return compare_content(self._schemas, old, new, direction)

    def headers(self, old: str, new: str, direction: Direction) -> Iterable[Finding]:
        return compare_headers(self._schemas, old, new, direction)

    def sample_parameters(
        self, side: Side, pointers: Sequence[str], direction: Direction
    ) -> tuple[Part, ...]:
        return sample_parameters(self._schemas, side, pointers, direction)

    def sample_headers(self, side: Side, pointer: str, direction: Direction) -> tuple[Part, ...]:
        return sample_headers(self._schemas, side, pointer, direction)

    def sample_content(self, side: Side, pointer: str, direction: Direction) -> Content | None:
        return sample_content(self._schemas, side, pointer, direction)
