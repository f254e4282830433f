"""The original's rule, for `grounding = "substring"`: a value is served if any text contains it.

Lenient by design: a piece of a served value passes, escapes are not read, any field's enum excuses
any other. Lower-cased on both sides, nothing else folded.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, TypeAlias

import msgspec

Substring: TypeAlias = Literal["served", "schema", "external", "self", "nowhere"]


class ExternalGround(msgspec.Struct, frozen=True):
    """A value the application vouches for, and where it says it has it from."""

    value: str
    source: str


def usable(entries: Sequence[object]) -> tuple[ExternalGround, ...]:
    """Those of the application's entries that can ground something: value and source non-blank."""
    pairs = (
        (entry.get("value"), entry.get("source")) for entry in entries if isinstance(entry, dict)
    )
    return tuple(
        ExternalGround(value, source)
        for value, source in pairs
        if isinstance(value, str) and value.strip() and isinstance(source, str) and source.strip()
    )


def judge(
    value: str,
    *,
    served: Sequence[str],
    own: Sequence[str],
    enums: AbstractSet[str],
    external: Sequence[ExternalGround] = (),
) -> tuple[Substring, str]:
    """What supports this value, the first that holds, and the external source if it was that."""
    needle = value.strip().lower()
    if needle in enums:
        return "schema", ""
    if any(needle in text.lower() for text in served):
        return "served", ""
    for ground in external:
        if needle in ground.value.lower():
            return "external", ground.source
    return ("self" if any(needle in text.lower() for text in own) else "nowhere"), ""
