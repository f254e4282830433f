"""Where in which file a pointer of the one document was written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from groundwire.canon.paths import pointer as spelled
from groundwire.contracts.changes import Where
from groundwire.contracts.openapi.opening.bundling import FILES_KEY
from groundwire.contracts.openapi.resolving import join, names_of
from groundwire.contracts.reading.text import Text

_MOVES: Final = 20


class Places:
    """The places of one description.

    `moved` leads from what was put in a place to where it stands in its file; `converted`, from the
    parts of a converted description to those of the one that it was made of.
    """

    def __init__(
        self,
        name: str,
        text: Text,
        others: Mapping[str, Text],
        moved: Mapping[str, str],
        converted: Mapping[str, str] | None = None,
    ) -> None:
        self._name = name
        self._text = text
        self._others = others
        self._moved = moved
        self._converted = converted or {}

    def where(self, pointer: str) -> Where:
        """The place of `pointer`, or of the nearest part around it that was written; never raises."""
        names = names_of(self.written_at(pointer))
        file, text = self._name, self._text
        if len(names) > 1 and names[0] == FILES_KEY and names[1] in self._others:
            file, text, names = names[1], self._others[names[1]], names[2:]
        for length in range(len(names), -1, -1):
            plain = spelled(names[:length])
            position = text.position(plain)
            if position is not None:
                return Where(file, plain, *position)
        return Where(file, "")

    def written_at(self, pointer: str) -> str:
        """The same place, before anything was converted or put somewhere else."""
        return origin(origin(pointer, self._converted, times=1), self._moved)


def origin(pointer: str, moved: Mapping[str, str], times: int = _MOVES) -> str:
    """What stands at `pointer`, by the pointer that it was written at.

    The longest beginning that was moved is put back, and that again, as often as one was.
    """
    for _ in range(times if moved else 0):
        names = names_of(pointer)
        for length in range(len(names), -1, -1):
            earlier = moved.get(join("#", *names[:length]))
            if earlier is not None:
                pointer = join(earlier, *names[length:])
                break
        else:
            break
    return pointer


def wherever(unread: Mapping[str, str], moved: Mapping[str, str]) -> dict[str, str]:
    """`unread`, and the same at every pointer that what is unread was moved to."""
    found = dict(unread)
    waiting = list(unread.items())
    while waiting:
        pointer, reason = waiting.pop()
        for there, earlier in moved.items():
            if pointer == earlier or pointer.startswith(earlier + "/"):
                new = there + pointer[len(earlier) :]
                if new not in found:
                    found[new] = reason
                    waiting.append((new, reason))
    return dict(sorted(found.items()))
