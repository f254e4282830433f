"""A comparison, and whether its witness is what it is said to be."""

from __future__ import annotations

import jsonschema_rs

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.comparing import Options, compare
from groundwire.contracts.verdict import Breaking, Direction, Risky, Undecided

AS_ANNOTATION = Options(formats=False)


def verdict(
    old: JSON, new: JSON, direction: Direction = "accepts", options: Options = AS_ANNOTATION
) -> str:
    """The verdict's name, or the reason of one that is undecided."""
    found = compare(old, new, direction, options)
    return found.reason if isinstance(found, Undecided) else type(found).__name__.lower()


def witness(old: JSON, new: JSON, direction: Direction = "accepts") -> JSON:
    """The witness of a break, which the old schema takes and the new one does not."""
    found = compare(old, new, direction, AS_ANNOTATION)
    assert isinstance(found, Breaking | Risky), found
    sender, reader = (old, new) if direction == "accepts" else (new, old)
    assert jsonschema_rs.is_valid(sender, found.witness)  # type: ignore[arg-type]  # a schema
    assert not jsonschema_rs.is_valid(reader, found.witness)  # type: ignore[arg-type]  # a schema
    return found.witness
