"""How large a value is when every part counts at every place it stands; and that it is no circle."""

from __future__ import annotations

from typing import Final

from groundwire.canon.jcs import JSON
from groundwire.contracts.reading.unreadable import Unreadable

MAX_VALUES: Final = 3_000_000
MAX_DEPTH: Final = 512


def demand_bounded(root: JSON) -> None:
    """Nothing, where `root` holds at most `MAX_VALUES` values, nested at most `MAX_DEPTH` deep.

    Raises:
        Unreadable: `too-large`, `too-deep`, `reference-cycle`.
    """
    sizes: dict[int, tuple[int, int]] = {}
    open_: set[int] = set()
    waiting: list[tuple[JSON, bool]] = [(root, False)]
    while waiting:
        value, done = waiting.pop()
        parts = _parts(value)
        if done:
            open_.discard(id(value))
            inside = [sizes[id(each)] for each in parts if _parts(each)]
            size = 1 + len(parts) + sum(each for each, _ in inside)
            height = 1 + max((each for _, each in inside), default=0)
            if size > MAX_VALUES:
                raise Unreadable(
                    "too-large", "The description's parts repeat one another too often."
                )
            if height > MAX_DEPTH:
                raise Unreadable("too-deep", f"The description nests over {MAX_DEPTH} levels.")
            sizes[id(value)] = size, height
        elif id(value) in open_:
            raise Unreadable("reference-cycle", "A part of the description is to stand in itself.")
        elif parts and id(value) not in sizes:
            open_.add(id(value))
            waiting.append((value, True))
            waiting += [(each, False) for each in parts if _parts(each)]


def _parts(value: JSON) -> list[JSON]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
