"""Asking: the questions of two descriptions in one direction, as the seeker of causes asks them."""

from __future__ import annotations

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.refusing import Refusal
from groundwire.contracts.openapi.finding import Cause
from groundwire.contracts.openapi.places import Places
from groundwire.contracts.openapi.schemas import NoSample, Schemas, Side, sender_of
from groundwire.contracts.verdict import Direction, Verdict


class Asking:
    """An `Asker` over `Schemas`."""

    def __init__(self, schemas: Schemas, direction: Direction) -> None:
        self._schemas = schemas
        self._direction: Direction = direction

    def ask(self, old: str, new: str) -> Verdict:
        """As `Asker.ask`."""
        return self._schemas.ask(old, new, self._direction)

    def known(self) -> dict[tuple[str, str], tuple[Cause, ...]]:
        """As `Asker.known`."""
        return self._schemas.causes[self._direction]

    def taken_by_both(self, old: str, new: str) -> tuple[JSON] | tuple[()]:
        """As `Asker.taken_by_both`."""
        sender = sender_of(self._direction)
        sent, read = (old, new) if sender == "old" else (new, old)
        try:
            value = self._schemas.sample(sender, sent, self._direction, read)
        except NoSample:
            return ()
        reader: Side = "new" if sender == "old" else "old"
        taken = self._schemas.accepts(reader, read, value, self._direction)
        return (value,) if taken is True else ()

    def accepts(self, side: Side, pointer: str, value: JSON) -> bool | None:
        """As `Asker.accepts`."""
        return self._schemas.accepts(side, pointer, value, self._direction)

    def refusals(self, side: Side, pointer: str, value: JSON) -> tuple[Refusal, ...]:
        """As `Asker.refusals`."""
        return self._schemas.refusals(side, pointer, value, self._direction)

    def places(self, side: Side) -> Places:
        """As `Asker.places`."""
        return self._schemas.places(side)
