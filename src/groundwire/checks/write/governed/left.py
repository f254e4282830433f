"""What guarded calls left at files: by digest, and where nobody knows."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from groundwire.documents.receipt import Touched
from groundwire.documents.target import TargetName

UNKNOWN: Final = "unknown"
"""In the place of a digest: something was under way, or nobody looked."""

# None: nothing stands there.
Content: TypeAlias = str | None

_KEPT: Final = 64


class _Since(NamedTuple):
    order: int
    content: Content


class Left:
    """The latest contents of each file that a guarded call ended at, and since when.

    `order` counts what the caller sees, whatever that is.
    """

    def __init__(self) -> None:
        self._files: dict[TargetName, list[_Since]] = {}

    def put(self, name: TargetName, content: Content, order: int) -> None:
        """From here on the file has this content, or `UNKNOWN`."""
        if name.kind != "files":
            return
        history = self._files.setdefault(name, [])
        history.append(_Since(order, content))
        del history[:-_KEPT]

    def since(self, name: TargetName, order: int) -> frozenset[Content]:
        """Everything that the file was known to hold then or after.

        Empty where no guarded call ever ended there; with `UNKNOWN` where that goes too far back.
        """
        history = self._files.get(name, [])
        if not history:
            return frozenset()
        at = max((n for n, each in enumerate(history) if each.order <= order), default=-1)
        known = {each.content for each in history[max(at, 0) :]}
        if at < 0:
            known.add(UNKNOWN)
        return frozenset(known)


def places_of(change: Touched) -> tuple[tuple[TargetName, Content], ...]:
    """What stands at each name of a change once it is made."""
    if change.to is not None:
        return ((change.name, None), (change.to, change.after))
    return ((change.name, change.after),)
