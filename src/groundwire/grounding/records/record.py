"""Record: what one object of a result says, and whom it says it of."""

from __future__ import annotations

from decimal import Decimal

import msgspec


class Field(msgspec.Struct, frozen=True, gc=False):
    """One value: the words of its key within its record, where it stands, its text and number."""

    key: str
    pointer: str
    text: str
    number: Decimal | None = None


class Record(msgspec.Struct, frozen=True, gc=False):
    """One object. `table` is the same for objects that stand beside one another in one list.

    `names` are what keys above it and the call's arguments call it. `parent` is the record that it stands in (-1:
    none); all within it are the records up to `end`, in order.
    """

    fields: tuple[Field, ...]
    names: tuple[str, ...]
    table: int
    parent: int
    pointer: str
    end: int


class Reading(msgspec.Struct, frozen=True, gc=False):
    """A result as records. `prose` is what stands outside of them.

    `cut`: the end of a block is missing. `capped`: there was more than is read. `structured`:
    there is at least one object or table.
    """

    records: tuple[Record, ...]
    prose: tuple[str, ...]
    cut: bool = False
    capped: bool = False

    @property
    def structured(self) -> bool:
        """Whether anything of it is data rather than prose."""
        return bool(self.records)
