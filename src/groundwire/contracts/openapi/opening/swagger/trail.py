"""What was made of what while a description was converted, and what could not be."""

from __future__ import annotations

from collections.abc import Mapping

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.opening.files import at
from groundwire.contracts.openapi.opening.locating import origin
from groundwire.contracts.openapi.opening.places import Outside
from groundwire.contracts.openapi.resolving import canonical, names_of

_CHAIN = 100


class Trail:
    """`moved` leads from each converted part to what it was made of; `unread` names what was not."""

    def __init__(self, document: Mapping[str, JSON], unread: Mapping[str, str]) -> None:
        self._document = dict(document)
        self._before = unread
        self.moved: dict[str, str] = {}
        self.unread: dict[str, str] = {}

    def made(self, new: str, old: str) -> None:
        """The part at `new` was made of the one at `old`."""
        self.moved[new] = old

    def not_read(self, new: str, reason: str) -> None:
        """What stands at `new` does not say all that the original said."""
        self.unread.setdefault(new, reason)

    def followed(self, value: JSON, pointer: str) -> tuple[JSON, str]:
        """`value`, or what it refers to in the end, and the pointer of that.

        None with the pointer of the last reference where that leads nowhere.
        """
        for _ in range(_CHAIN):
            reference = value.get("$ref") if isinstance(value, dict) else None
            if not isinstance(reference, str):
                return value, pointer
            try:
                if not reference.startswith("#"):
                    return None, pointer
                value = at(self._document, names_of(reference))
            except Outside:
                return None, pointer
            pointer = canonical(reference)
        return None, pointer

    def unread_now(self) -> dict[str, str]:
        """Everything that is not read, by the pointers of the converted description.

        What was made in several places of one original is named at each of them.
        """
        found = dict(self.unread)
        originals = {origin(new, self.moved, 1): reason for new, reason in self.unread.items()}
        for pointer, reason in (*self._before.items(), *originals.items()):
            for new in self._places(pointer):
                found.setdefault(new, reason)
        return dict(sorted(found.items()))

    def _places(self, pointer: str) -> list[str]:
        """Where what was written at `pointer` stands now, by the closest part that was moved."""
        around = {
            new: old
            for new, old in self.moved.items()
            if pointer == old or pointer.startswith(old + "/")
        }
        closest = max(map(len, around.values()), default=0)
        return [
            new + pointer[len(old) :] for new, old in around.items() if len(old) == closest
        ] or [pointer]


def texts(value: JSON) -> list[str] | None:
    """`value` as a list of texts; None where it is none."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return [str(each) for each in value]
    return None
