"""What stands at a pointer of a description, with references followed to their end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.openapi.description import Description

_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")


class Resolved(msgspec.Struct, frozen=True):
    """`value` stands at `pointer` and is no reference; with `reason`, what it is is not known."""

    value: JSON
    pointer: str
    reason: str = ""

    @property
    def members(self) -> Mapping[str, JSON]:
        """Those of an object; none where it is none, or not known."""
        return self.value if isinstance(self.value, dict | Mapping) and not self.reason else {}


class Resolver:
    """Reads one description by pointers such as `#/paths/~1users/get`, as `join` writes them.

    Follows references in the place of parameters, headers, bodies, responses, path items,
    callbacks and security schemes; what stands beside a `$ref` is left out. What is inside a
    schema is not its business.
    """

    def __init__(self, description: Description) -> None:
        self._root = description.root
        self._unread = description.unread
        self._known: dict[str, Resolved] = {}

    def at(self, pointer: str) -> Resolved:
        """What `pointer` leads to in the end; never raises.

        Its `reason` is `reference-remote`, `reference-dangling`, `reference-cycle`, or what the
        description says of a part that it could not read.
        """
        found = self._known.get(pointer)
        if found is None:
            found = self._known[pointer] = self._follow(pointer)
        return found

    def written(self, pointer: str) -> Resolved:
        """What stands at `pointer` itself, be it a reference."""
        return self._walk(pointer)

    def below(self, resolved: Resolved, *names: str) -> Resolved:
        """What the member of that name leads to, of a value that is known to have it."""
        return self.at(join(resolved.pointer, *names))

    def _follow(self, pointer: str) -> Resolved:
        passed: set[str] = set()
        while True:
            if pointer in passed:
                return Resolved(None, pointer, "reference-cycle")
            passed.add(pointer)
            found = self._walk(pointer)
            target = found.members.get("$ref")
            if found.reason or not isinstance(target, str):
                return found
            if not target.startswith("#"):
                return Resolved(None, pointer, "reference-remote")
            pointer = canonical(target)

    def _walk(self, pointer: str) -> Resolved:
        value: JSON = self._root
        passed = "#"
        for name in names_of(pointer):
            reason = self._unread.get(passed)
            if reason is not None:
                return Resolved(None, passed, reason)
            passed = join(passed, name)
            if isinstance(value, dict | Mapping) and name in value:
                value = value[name]
            elif isinstance(value, Sequence) and not isinstance(value, str) and _index(name, value):
                value = value[int(name)]
            else:
                return Resolved(None, pointer, self._unread.get(passed, "reference-dangling"))
        reason = self._unread.get(passed)
        return Resolved(value if reason is None else None, passed, reason or "")


def join(pointer: str, *names: str) -> str:
    """The pointer of a member below `pointer`.

    In the form of a URI's fragment: `~` `/` and `%` in names are escaped, nothing else is, so that
    one place has one pointer.
    """
    for name in names:
        plain = "~" not in name and "/" not in name and "%" not in name
        pointer = f"{pointer}/{name if plain else _escaped(name)}"
    return pointer


@lru_cache(maxsize=16_384)
def names_of(pointer: str) -> tuple[str, ...]:
    """The names on the way from the root to `pointer`, unescaped; the reverse of `join`.

    What is no pointer comes back as one name that nothing has.
    """
    fragment = pointer[1:] if pointer.startswith("#") else pointer
    if not fragment:
        return ()
    if "%" in fragment:
        data = _PERCENT.sub(lambda found: bytes([int(found[1], 16)]), fragment.encode())
        fragment = data.decode("utf-8", "replace")
    if not fragment.startswith("/"):
        return (pointer,)
    names = fragment[1:].split("/")
    if "~" in fragment:
        names = [name.replace("~1", "/").replace("~0", "~") for name in names]
    return tuple(names)


def canonical(pointer: str) -> str:
    """The same place, as `join` writes it."""
    return join("#", *names_of(pointer))


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1").replace("%", "%25")


def _index(name: str, items: Sequence[JSON]) -> bool:
    return name.isascii() and name.isdecimal() and len(name) < 10 and int(name) < len(items)
