"""Rows: what a tool's own return value holds, as far as it can be read without guessing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec

from groundwire.canon import jcs
from groundwire.canon.paths import values_at
from groundwire.errors import EncodingError
from groundwire.grounding.passages import ABSENCE

Shape: TypeAlias = Literal["rows", "absence", "unreadable"]


class Rows(msgspec.Struct, frozen=True):
    """`rows`: a list, perhaps empty. `absence`: the tool declared that it found nothing.

    `unreadable`: anything else; whether something was found cannot be seen.
    """

    shape: Shape
    rows: Sequence[jcs.JSON] = ()

    @property
    def empty(self) -> bool:
        """Whether it says that there is nothing."""
        return self.shape == "absence" or (self.shape == "rows" and not self.rows)

    @property
    def objects(self) -> tuple[Mapping[str, jcs.JSON], ...]:
        """The rows where every one of them is an object; empty where not, or where there are none."""
        objects = tuple(row for row in self.rows if isinstance(row, Mapping))
        return objects if len(objects) == len(self.rows) else ()


@lru_cache(maxsize=64)
def read_rows(text: str, rows_at: str = "") -> Rows:
    """The rows of a result: the list that it is, or the one at the declared path.

    A JSON object is an absence only with the mark of one. Never raises.
    """
    if not rows_at and text.lstrip()[:1] != "[" and ABSENCE not in text and "\\u" not in text:
        return Rows("unreadable")
    try:
        value = jcs.decode_foreign(text.encode()).value
    except (EncodingError, UnicodeEncodeError):
        return Rows("unreadable")
    if isinstance(value, Mapping) and ABSENCE in value:
        return Rows("absence")
    if not rows_at:
        return Rows("rows", value) if isinstance(value, list) else Rows("unreadable")
    found = values_at(value, rows_at)
    if rows_at.endswith("[*]"):
        return Rows("rows", found)
    if len(found) == 1 and isinstance(found[0], list):
        return Rows("rows", found[0])
    return Rows("unreadable")
