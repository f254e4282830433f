"""Which operation of the new description answers what was sent to one of the old."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from groundwire.contracts.openapi.exchanges.addresses.operations import Operation
from groundwire.contracts.openapi.exchanges.addresses.servers import Server
from groundwire.contracts.openapi.exchanges.addresses.templates import (
    Templates,
    literal_length,
    shape,
    values_in,
)


class Pair(msgspec.Struct, frozen=True):
    """An operation that is in both. `missing` are servers of `old` where `new` is not.

    With `caught`, the path of `old` is gone, and what is sent to it is taken by a template.
    """

    old: Operation
    new: Operation
    missing: tuple[Server, ...] = ()
    caught: bool = False


class Matched(msgspec.Struct, frozen=True):
    """Every operation of both sides, once; each list in its document's order.

    `ambiguous` are old ones whose shape stands more than once, so that none can be told to be it.
    """

    pairs: tuple[Pair, ...]
    removed: tuple[Operation, ...]
    added: tuple[Operation, ...]
    ambiguous: tuple[Operation, ...]


def match(old: Iterable[Operation], new: Iterable[Operation]) -> Matched:
    """Pairs operations by method and by the shape of the whole path, that of the server included.

    Where the server is another one, by the shape of the path alone: then the server changed.
    """
    before, after = tuple(old), tuple(new)
    index = _Index(after)
    crowd = _Index(before)
    pairs: list[Pair] = []
    removed: list[Operation] = []
    ambiguous: list[Operation] = []
    for each in before:
        found = index.like(each)
        rivals = max(len(found), len(crowd.like(each)))
        chosen = [other for other in found if other.template == each.template] or found
        if not chosen:
            caught = index.catching(each)
            if caught is None:
                removed.append(each)
            else:
                pairs.append(_paired(each, caught, caught=True))
        elif rivals > 1 and chosen[0].template != each.template:
            ambiguous.append(each)
        else:
            pairs.append(_paired(each, chosen[0]))
    met = {id(pair.new) for pair in pairs if not pair.caught}
    if ambiguous:
        met |= {id(other) for each in ambiguous for other in index.like(each)}
    added = tuple(each for each in after if id(each) not in met)
    return Matched(tuple(pairs), tuple(removed), added, tuple(ambiguous))


class _Index:
    """The operations of one side, by method and shape."""

    def __init__(self, operations: tuple[Operation, ...]) -> None:
        self._like: dict[tuple[object, ...], list[Operation]] = {}
        self._templates = Templates((each.template, each) for each in operations)
        self._whole: dict[tuple[str, str], list[Operation]] = {}
        self._own: dict[tuple[str, str], list[Operation]] = {}
        for each in operations:
            for whole in each.shapes:
                self._whole.setdefault((each.method, whole), []).append(each)
            self._own.setdefault((each.method, shape(each.template)), []).append(each)

    def like(self, operation: Operation) -> list[Operation]:
        """Those at the same place; if none, at the same path of another host; if none, base."""
        key = (operation.method, operation.shapes, operation.servers)
        if key not in self._like:
            self._like[key] = self._found(operation)
        return self._like[key]

    def _found(self, operation: Operation) -> list[Operation]:
        found: dict[int, Operation] = {}
        for whole in operation.shapes:
            for each in self._whole.get((operation.method, whole), ()):
                found[id(each)] = each
        near = [each for each in found.values() if _share_a_host(operation, each)]
        if not found:
            near = self._own.get((operation.method, shape(operation.template)), [])
        return sorted(near or found.values(), key=lambda each: (each.template, each.pointer))

    def catching(self, operation: Operation) -> Operation | None:
        """The template that takes the path of an operation without variables, most said first."""
        found = [
            each
            for each in self._templates.near(operation.template)
            if each.method == operation.method
            and values_in(each.template, operation.template)
            and not _missing(operation, each)
        ]
        return max(
            found, key=lambda each: (literal_length(each.template), each.template), default=None
        )


def _paired(old: Operation, new: Operation, *, caught: bool = False) -> Pair:
    return Pair(old, new, _missing(old, new), caught)


def _missing(old: Operation, new: Operation) -> tuple[Server, ...]:
    """The servers of `old` at which `new` does not answer on the same path."""
    if old.servers is new.servers or not new.servers:
        return ()
    return tuple(each for each in old.servers if not _answers(each, old, new))


def _answers(server: Server, old: Operation, new: Operation) -> bool:
    own = shape(old.template)
    other = shape(new.template)
    caught = own != other and values_in(new.template, old.template) is not None
    for each in new.servers:
        if each.is_at(server) and each.is_spoken_to_like(server):
            if any(base + own == past + other for base in server.paths for past in each.paths):
                return True
            if caught and set(server.paths) & set(each.paths):
                return True
    return False


def _share_a_host(one: Operation, other: Operation) -> bool:
    return any(each.is_at(past) for each in one.servers for past in other.servers)
