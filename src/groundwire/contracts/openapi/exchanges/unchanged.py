"""Which parts of two descriptions are the same, with all that they refer to."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from groundwire.canon.jcs import JSON
from groundwire.contracts.jsonschema.compiling.openapi.discriminators import COMPONENTS
from groundwire.contracts.jsonschema.sharing import alike
from groundwire.contracts.openapi.description import Description
from groundwire.contracts.openapi.resolving import Resolver, canonical, names_of

_REFERENCE = re.compile(rb'"\$(?:ref|dynamicRef|recursiveRef)":"([^"]*)"')
# What is here means something else elsewhere, or leads to what no reference names.
_UNBOUND = re.compile(rb'"(?:\$id|\$anchor|\$dynamicAnchor|\$dynamicRef|\$recursiveRef)":"')
_DISCRIMINATOR = b'"discriminator":'
_SCHEMAS = "#/components/schemas"
# So deep from the root parts may be one object in both.
_SHARED = 4
_ENCODER = msgspec.json.Encoder(order="sorted")


class Unchanged:
    """Tells parts of which nothing needs to be asked.

    Compares texts, those of schemas without what is only for people, so it may call different what
    means the same; the reverse it never does.
    """

    def __init__(
        self, descriptions: tuple[Description, Description], resolvers: tuple[Resolver, Resolver]
    ) -> None:
        self._old, self._new = resolvers
        # In draft 4 any `id` moves what is below it.
        dialects = {each.dialect for each in descriptions}
        same_reading = len(dialects) == 1 and "draft-4" not in dialects
        self._unread = [*descriptions[0].unread, *descriptions[1].unread]
        self._comparable = same_reading and all(
            pointer.startswith("#/") for pointer in self._unread
        )
        # Of each pointer that was referred to: where it leads on to, None if the sides differ.
        self._leads: dict[str, frozenset[str] | None] = {}
        self._known: dict[str, bool] = {}

    def same(self, old: str, new: str) -> bool:
        """Whether what stands at the two pointers is equal, and all that it refers to as well."""
        if not self._comparable:
            return False
        leads = self._leading(old) if old == new else self._compare(old, new)
        return leads is not None and self._all_same(leads)

    def _all_same(self, starts: frozenset[str]) -> bool:
        """Follows references breadth-first: each is looked at once, then known for good."""
        seen: set[str] = set()
        waiting = list(starts)
        while waiting:
            pointer = waiting.pop()
            if pointer in seen or self._known.get(pointer) is True:
                continue
            if self._known.get(pointer) is False:
                return False
            seen.add(pointer)
            leads = self._leading(pointer)
            if leads is None:
                self._known[pointer] = False
                return False
            waiting += leads
        # Nothing that was met differs, nor does anything that it leads to.
        self._known |= dict.fromkeys(seen, True)
        return True

    def _leading(self, pointer: str) -> frozenset[str] | None:
        if pointer not in self._leads:
            self._leads[pointer] = self._compare(pointer, pointer)
        return self._leads[pointer]

    def _compare(self, old: str, new: str) -> frozenset[str] | None:
        """The references in the part, if it is the same on both sides and was read whole."""
        if self._unread and any(_touches(unread, (old, new)) for unread in self._unread):
            return None
        before, after = self._old.written(old), self._new.written(new)
        if before.reason or after.reason:
            return None
        text = _text(before.value)
        other = text if before.value is after.value else _text(after.value)
        if text is None or other is None or _UNBOUND.search(text):
            return None
        if text is not other and (text != other or not _equal(before.value, after.value)):
            # Of a schema, texts for people may differ.
            alike_but_for_texts = _say_alike((old, new), before.value, after.value)
            if not alike_but_for_texts or _UNBOUND.search(other):
                return None
        found = set[str]()
        targets = _REFERENCE.findall(text)
        for target in targets if text is other else (*targets, *_REFERENCE.findall(other)):
            if b"\\" in target or not target.startswith(b"#/"):
                return None
            found.add(canonical(target.decode()))
        if _DISCRIMINATOR in text:
            found.add(_SCHEMAS)
        return frozenset(found)


def is_same(old: Description, new: Description) -> bool:
    """Whether the two say the same, word for word, what could not be read of them included."""
    if old is new:
        return True
    alike = (old.version, old.dialect, old.unread) == (new.version, new.dialect, new.unread)
    if not alike or not _equal(old.root, new.root):
        return False
    return _are_same(old.root, new.root)


def _are_same(old: JSON, new: JSON, depth: int = 0) -> bool:
    """Whether two values that are equal are so word for word; parts that are one object are."""
    if old is new:
        return True
    if depth < _SHARED and isinstance(old, dict) and isinstance(new, dict):
        return all(_are_same(each, new[name], depth + 1) for name, each in old.items())
    text = _text(old)
    return text is not None and text == _text(new)


def _touches(unread: str, pointers: Iterable[str]) -> bool:
    return any(
        unread == each or unread.startswith(f"{each}/") or each.startswith(f"{unread}/")
        for each in pointers
    )


def _say_alike(pointers: tuple[str, str], one: JSON, other: JSON) -> bool:
    """Whether two components that are schemas, or all of them, say the same of values."""
    try:
        if pointers == (_SCHEMAS, _SCHEMAS):
            if not isinstance(one, dict) or not isinstance(other, dict):
                return False
            return one.keys() == other.keys() and all(alike(one[name], other[name]) for name in one)
        steps = [names_of(each) for each in pointers]
        return all(len(each) == 3 and each[:2] == COMPONENTS for each in steps) and alike(
            one, other
        )
    except RecursionError:
        return False


def _equal(one: JSON, other: JSON) -> bool:
    try:
        return one == other
    except RecursionError:
        return False


def _text(value: JSON) -> bytes | None:
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return None
